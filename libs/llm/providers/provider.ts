import type { Clock } from '#time';
import type { NamedProvider } from '../failed-request.js';
import type { Model } from '../model.port.js';
import type { ToolForm } from '../schemas/provider-tool.js';

/** The way to a provider's models. */
export interface ProviderAccess {
  apiKey?: string;
  /** In the form that the provider's adapter takes; without it the public service. */
  baseUrl?: string;
}

/**
 * Everything that Switchyard knows about a provider. Models are named without the provider here (`gpt-5`). Settings,
 * served models, docs and the specs of all providers are made from these records.
 */
export interface Provider extends NamedProvider, ToolForm {
  /** What stands before the slash of a model's name. */
  name: string;
  /** The variable that holds another address with the same API. */
  urlVariable: string;
  /** Of the public service or the usual port, without a slash at the end. */
  publicUrl: string;
  /** Behind another address it needs no key. */
  isOpenElsewhere?: true;
  /** What of an address the adapter takes. */
  toBaseUrl(address: string): string;
  /** Asked when nobody names a model. */
  suggestedModel: string;
  /** Tokens that a request and its answer may have together; undefined when nobody knows. */
  contextWindow?(model: string): number | undefined;
  /** Whether `tool_choice` binds the model. */
  canForceTool(model: string): boolean;
  /** Whether the model reasons at its user's cost and shows nothing of it; without this function it does not. */
  hidesReasoning?(model: string): boolean;
  /** Loads the provider's SDK. The settings have been checked: a key that is needed is there. */
  open(access: ProviderAccess, clock: Clock): Promise<Model>;
}

/** An address without a path means the usual one. */
export function withVersion(address: string): string {
  return /^[a-z]+:\/\/[^/]*$/i.test(address) ? `${address}/v1` : address;
}
