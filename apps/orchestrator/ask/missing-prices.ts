import type { Log } from '#journal';
import type { OrchestratorSettings } from '../deps/orchestrator.deps.js';
import { priceOf } from './model-cost.js';

/** Tells operators which models, if asked, use up no budget of cost. The demo model costs nothing. */
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
    log.warn({ models }, 'usage.cost_per_user_per_day is set, and these models have no price');
}
