import { RequestError } from '../errors/request-error.js';

const WINDOW_MS = 60_000;

export interface MinuteLimits {
  /** What is counted, for people: `connections`. */
  what: string;
  /** By one user within a minute. */
  perUser: number;
  /** By all together within a minute; also bounds what is remembered. */
  inAll: number;
}

interface Taken {
  userId: string;
  at: number;
  cost: number;
}

/**
 * How much may happen within a minute, in this process. One thing may cost more than the limit: what is over it counts
 * as a debt, of which a minute pays as much as the limit.
 */
export class MinuteLimit {
  /** Oldest first; a debt is in the minutes to come. */
  private readonly taken: Taken[] = [];
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly limits: MinuteLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one more, or as many as it costs. Throws `RequestError` `overloaded` unless there is room for one. */
  take(userId: string, cost = 1): void {
    const now = this.now();
    this.forgetOld(now);
    const count = this.counts.get(userId) ?? 0;
    const { perUser, inAll, what } = this.limits;
    if (count >= perUser)
      throw this.refusal(`Too many ${what} within a minute.`, this.waitMs(userId, count, now));
    if (this.taken.length >= inAll)
      throw this.refusal(`Too many ${what} of all people at once.`, WINDOW_MS - (now - this.taken[0]!.at));
    for (let left = cost, at = now; left > 0; left -= perUser, at += WINDOW_MS)
      this.add({ userId, at, cost: Math.min(left, perUser) });
    this.counts.set(userId, count + cost);
  }

  /** The last one that was counted is not counted. */
  giveBack(userId: string): void {
    const at = this.taken.findLastIndex((entry) => entry.userId === userId);
    if (at < 0) return;
    const [last] = this.taken.splice(at, 1);
    this.countDown(last!);
  }

  private add(taken: Taken): void {
    const before = this.taken.findLastIndex(({ at }) => at <= taken.at);
    this.taken.splice(before + 1, 0, taken);
  }

  private refusal(message: string, waitMs: number): RequestError {
    return new RequestError('overloaded', message, Math.ceil(waitMs));
  }

  /** Until there is room for one more of the user's. */
  private waitMs(userId: string, count: number, now: number): number {
    let left = count;
    for (const entry of this.taken) {
      if (entry.userId !== userId) continue;
      left -= entry.cost;
      if (left < this.limits.perUser) return entry.at + WINDOW_MS - now;
    }
    return WINDOW_MS;
  }

  private forgetOld(now: number): void {
    let old = 0;
    for (const entry of this.taken) {
      if (now - entry.at < WINDOW_MS) break;
      old++;
      this.countDown(entry);
    }
    this.taken.splice(0, old);
  }

  private countDown({ userId, cost }: Taken): void {
    const left = this.counts.get(userId)! - cost;
    if (left > 0) this.counts.set(userId, left);
    else this.counts.delete(userId);
  }
}
