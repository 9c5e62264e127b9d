import type { ModelPrice } from '#bootstrap';
import type { Usage } from '#contracts';
import type { Log } from '#journal';
import type { Metrics } from '#observability';
import type { OrchestratorSettings } from '../deps/orchestrator.deps.js';

const TOKENS_OF_A_PRICE = 1_000_000;

/**
 * Adds the cost of an answer, complete or not, at the price of the model or else of its provider. Without a price,
 * nothing is counted.
 */
export function countCost(
  { modelCost }: Pick<Metrics, 'modelCost'>,
  prices: ReadonlyMap<string, ModelPrice>,
  { model, usage }: { model: string; usage: Usage },
): void {
  // The label is a name of the configuration, never one that only a client chose.
  const name = [model, model.split('/')[0]!].find((candidate) => prices.has(candidate));
  if (name !== undefined) modelCost.inc({ model: name }, costOf(usage, prices.get(name)!));
}

/** The price of the model, or else of its provider. */
export function priceOf(prices: ReadonlyMap<string, ModelPrice>, model: string): ModelPrice | undefined {
  return prices.get(model) ?? prices.get(model.split('/')[0]!);
}

export function costOf({ input_tokens, cached_tokens, output_tokens }: Usage, price: ModelPrice): number {
  const cost =
    (input_tokens - cached_tokens) * price.input +
    cached_tokens * price.cachedInput +
    output_tokens * price.output;
  return cost / TOKENS_OF_A_PRICE;
}

/** Tells operators which models would use none of the cost budget. The demo model costs nothing. */
export function warnOfMissingPrices(
  {
    allowedModels,
    modelPrices,
    usage,
  }: Pick<OrchestratorSettings, 'allowedModels' | 'modelPrices' | 'usage'>,
  log: Pick<Log, 'warn'>,
): void {
  if (usage.budget.cost === undefined) return;
  const models = allowedModels.filter((name) => name !== 'demo' && !priceOf(modelPrices, name));
  if (models.length > 0)
    log.warn({ models }, 'usage.cost_per_user_per_day is set, but these models have no price');
}
