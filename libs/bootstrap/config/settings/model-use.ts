import type { ModelsOfFile } from './model-budgets.js';

/** How a model is used, apart from its budget. */
export interface ModelUse {
  /** Tokens that one request and its answer may have together; absent: the known window of the model. */
  contextTokens?: number;
  /** Tokens that the model can write in one answer; no request asks for more. Absent: unknown. */
  maxOutputTokens?: number;
  /** Models to ask when this one is overloaded, in this order. */
  fallback?: readonly string[];
}

export function toModelUse(models: ModelsOfFile): ReadonlyMap<string, ModelUse> {
  return new Map(
    Object.entries(models).map(([name, { context_tokens, max_output_tokens, fallback }]) => [
      name,
      { contextTokens: context_tokens, maxOutputTokens: max_output_tokens, fallback },
    ]),
  );
}

/** The settings of a model, or else of its provider. */
export function useOfModel(models: ReadonlyMap<string, ModelUse> | undefined, model: string): ModelUse {
  const own = models?.get(model) ?? {};
  const provider = models?.get(model.split('/')[0]!) ?? {};
  return {
    contextTokens: own.contextTokens ?? provider.contextTokens,
    maxOutputTokens: own.maxOutputTokens ?? provider.maxOutputTokens,
    fallback: own.fallback ?? provider.fallback,
  };
}
