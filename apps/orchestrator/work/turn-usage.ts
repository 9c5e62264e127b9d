import type { ModelPrice } from '#bootstrap';
import type { Journal, Spent, Usage } from '#contracts';
import { countUsage } from '#journal';
import type { ModelRequest } from '#llm';
import type { Store } from '#store';
import type { Clock } from '#time';
import { addUsage, estimateTokens, lostUsageRows, NOTHING_USED, addUsed, usedOf } from '#turn';
import type { DayBudgets } from '../admission/day-budgets.js';
import { costOf, priceOf } from '../ask/model-cost.js';

interface Deps {
  store: Pick<Store, 'addUsage'>;
  dayBudgets: DayBudgets;
  clock: Pick<Clock, 'wall'>;
  prices: ReadonlyMap<string, ModelPrice>;
}

/**
 * The usage of the models of one driven turn. It is kept until a step records it, then counted, within the user's
 * budget.
 */
export class TurnUsage {
  /** By model, since the last step. */
  private spent = new Map<string, Spent>();
  private countedTo = 0;
  private isHeld = false;

  constructor(
    private readonly deps: Deps,
    private readonly turn: Journal['turn'],
    private readonly claimAttempt: number,
  ) {}

  /** Before each request to a provider. Throws `DayBudgetExceeded`. */
  async admit(request: ModelRequest, how: { signal: AbortSignal; onWait: () => void }): Promise<void> {
    const { dayBudgets } = this.deps;
    if (!dayBudgets.isOn) return;
    const input_tokens = estimateTokens(request);
    const usage = { input_tokens, output_tokens: request.max_output_tokens, cached_tokens: 0 };
    const atMost = usedOf({ ...usage, cost: this.costOf(request.model, usage) });
    const spent = [...this.spent.values()].map(usedOf).reduce(addUsed, NOTHING_USED);
    // Also if it throws, because a lost answer may have left a hold.
    this.isHeld = true;
    await dayBudgets.admit({ turn: this.turn, atMost, spent, ...how });
  }

  /** The usage of one attempt, whatever its result. */
  note(model: string, usage: Usage): void {
    if (usage.input_tokens + usage.output_tokens === 0) return;
    const before = this.spent.get(model);
    const cost = this.costOf(model, usage);
    const all = cost === undefined ? before?.cost : (before?.cost ?? 0) + cost;
    const sum = before ? addUsage(before, usage) : usage;
    const { input_tokens, output_tokens, cached_tokens } = sum;
    const tokens = { input_tokens, output_tokens, cached_tokens };
    this.spent.set(model, { model, ...tokens, ...(all === undefined ? {} : { cost: all }) });
  }

  /** The usage for the row that is committed now. */
  take(): Spent[] {
    const spent = [...this.spent.values()];
    this.spent = new Map();
    return spent;
  }

  /** Another row won against the row with this usage. */
  async keepLost(n: number, spent: readonly Spent[]): Promise<void> {
    const lost = { n, attempt: this.claimAttempt, spent, at: this.deps.clock.wall() };
    for (const row of lostUsageRows(this.turn, lost)) await this.deps.store.addUsage(row);
  }

  /** Counts the usage that steps have recorded, after which no hold is needed for it. */
  async count({ turn, steps }: Journal): Promise<void> {
    const uncounted = steps.filter(({ n }) => n > this.countedTo);
    await countUsage(this.deps.store, { turn, steps: uncounted });
    this.countedTo = steps.at(-1)?.n ?? 0;
    await this.release();
  }

  /** The driver stops. No step will record its usage since the last step. */
  async leave(n: number): Promise<void> {
    await this.keepLost(n, this.take());
    await this.release();
  }

  private async release(): Promise<void> {
    if (!this.isHeld) return;
    this.isHeld = false;
    await this.deps.dayBudgets.release(this.turn._id);
  }

  private costOf(model: string, usage: Usage): number | undefined {
    const price = priceOf(this.deps.prices, model);
    return price && costOf(usage, price);
  }
}
