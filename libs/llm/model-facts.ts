import { providerOf, withoutProvider } from './port/model-name.js';
import type { ModelTool } from './port/model.port.js';
import { findProvider } from './providers/registry.js';
import type { SchemaLoss } from './schemas/json-schema.js';
import { toProviderTool } from './schemas/provider-tool.js';

/** Tokens that a request to this model (`provider/model`, or `demo`) and its answer may have together, if known. */
export function contextWindowOf(model: string): number | undefined {
  return findProvider(providerOf(model))?.contextWindow?.(withoutProvider(model));
}

/** Whether `tool_choice` binds this model (`provider/model`, or `demo`); otherwise the model chooses freely. */
export function canForceTool(model: string): boolean {
  return findProvider(providerOf(model))?.canForceTool(withoutProvider(model)) ?? true;
}

/** Whether this model (`provider/model`) reasons at its user's cost without showing any of it. */
export function hidesReasoning(model: string): boolean {
  return findProvider(providerOf(model))?.hidesReasoning?.(withoutProvider(model)) ?? false;
}

/** Tells operators which keywords of the tool's schema the provider's form cannot express. */
export function describeSchemaLosses(tool: ModelTool, provider: string): readonly SchemaLoss[] {
  const form = findProvider(provider);
  return form ? toProviderTool(tool, form).losses : [];
}
