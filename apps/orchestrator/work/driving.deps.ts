import type { DayBudgets } from '../admission/day-budgets.js';
import type { ModelLimits } from '../admission/model-limits.js';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';

/** What driving turns needs in addition to the orchestrator's dependencies. */
export interface DrivingDeps extends OrchestratorDeps {
  modelLimits: ModelLimits;
  dayBudgets: DayBudgets;
}
