import type { Store } from '#store';
import { dayOf } from '#turn';

const ROWS_A_ROUND = 1_000;
/** Whole days are removed: nobody misses them an hour later. */
const ROUND_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** What was used longer ago than it is kept. */
export class OldUsage {
  private nextAt = 0;

  constructor(
    private readonly store: Pick<Store, 'removeUsageBefore'>,
    private readonly keepDays: number | undefined,
  ) {}

  async sweep(now: number): Promise<void> {
    if (this.keepDays === undefined || now < this.nextAt) return;
    const removed = await this.store.removeUsageBefore(dayOf(now - this.keepDays * DAY_MS), ROWS_A_ROUND);
    if (removed < ROWS_A_ROUND) this.nextAt = now + ROUND_MS;
  }
}
