import type { Clock } from '#time';
import type { NamedProvider } from '../port/failed-request.js';
import type { Model } from '../port/model.port.js';
import type { ToolForm } from '../schemas/provider-tool.js';

/** The access to a provider's models. */
export interface ProviderAccess {
  apiKey?: string;
  /** In the form that the provider's adapter accepts; absent: the public service. */
  baseUrl?: string;
}

/**
 * Everything that Switchyard knows about a provider. Models are named without the provider here (`gpt-5`). Settings,
 * served models, docs and the specs of all providers are made from these records.
 */
export interface Provider extends NamedProvider, ToolForm {
  /** The part of a model's name before the slash. */
  name: string;
  /** The variable for another address with the same API. */
  urlVariable: string;
  /** The URL of the public service or of the usual port, without a slash at the end. */
  publicUrl: string;
  /** Another address needs no key. */
  isOpenElsewhere?: true;
  /** The part of an address that the adapter takes. */
  toBaseUrl(address: string): string;
  /** Where the list of its models is, below the address; absent: `/models`. */
  modelsPath?: string;
  /** The headers that carry the key; absent: a bearer token. */
  keyHeader?(apiKey: string): Record<string, string>;
  /** The model to ask when no model is named. */
  suggestedModel: string;
  /** Tokens that a request and its answer may have together; undefined if unknown. */
  contextWindow?(model: string): number | undefined;
  /** Whether `tool_choice` binds the model. */
  canForceTool(model: string): boolean;
  /** Whether the model reasons at its user's cost without showing any of it; without this function it does not. */
  hidesReasoning?(model: string): boolean;
  /** Loads the provider's SDK. The settings have been checked: a required key is present. */
  open(access: ProviderAccess, clock: Clock): Promise<Model>;
}

/** An address without a path means the usual one. */
export function withVersion(address: string): string {
  return /^[a-z]+:\/\/[^/]*$/i.test(address) ? `${address}/v1` : address;
}
