import type { Store } from '#store';
import { dayOf } from '#turn';
import type { SweepTask } from './sweeper.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Kept {
  days: number;
  /** The largest batch. After a full batch, the next round continues. */
  batch: number;
  /** The pause between two checks when nothing is left. */
  restMs: number;
  /** Removes at most `limit` rows that are older than `before` and returns their number. */
  remove(before: number, limit: number): Promise<number>;
}

/** Removes rows past their retention, one batch in each round of the sweeper. */
export class OldRows implements SweepTask {
  private nextAt = 0;

  constructor(private readonly kept: Kept) {}

  async sweep(now: number): Promise<void> {
    const { days, batch, restMs, remove } = this.kept;
    if (now < this.nextAt) return;
    const removed = await remove(now - days * DAY_MS, batch);
    if (removed < batch) this.nextAt = now + restMs;
  }
}

/** Usage of days past the retention. Whole days are removed, so an hour more does not matter. */
export function oldUsage(store: Pick<Store, 'removeUsageBefore'>, days: number): OldRows {
  return new OldRows({
    days,
    batch: 1_000,
    restMs: 60 * MINUTE_MS,
    remove: (before, limit) => store.removeUsageBefore(dayOf(before), limit),
  });
}

/** Requests for approval that nobody can answer any more. */
export function oldApprovalRequests(store: Pick<Store, 'removeApprovalRequestsBefore'>): OldRows {
  return new OldRows({
    days: 0,
    batch: 100,
    restMs: 10 * MINUTE_MS,
    remove: (before, limit) => store.removeApprovalRequestsBefore(before, limit),
  });
}

/** Of connections: what was not finished in time. */
export function oldConnections(store: Pick<Store, 'removeExpiredConnections'>): OldRows {
  return new OldRows({
    days: 0,
    batch: 100,
    restMs: MINUTE_MS,
    remove: (before, limit) => store.removeExpiredConnections(new Date(before).toISOString(), limit),
  });
}

/** Dead letters that no operator has discarded. */
export function oldDeadLetters(store: Pick<Store, 'removeOldDeadLetters'>, days: number): OldRows {
  return new OldRows({
    days,
    batch: 100,
    restMs: MINUTE_MS,
    remove: (before, limit) => store.removeOldDeadLetters(new Date(before).toISOString(), limit),
  });
}
