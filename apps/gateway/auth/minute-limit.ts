import type { Clock } from '#time';
import { RequestError } from '../errors/request-error.js';

const WINDOW_MS = 60_000;

export interface MinuteLimits {
  /** What is counted, for people: `connections`. */
  what: string;
  /** By one user within a minute. */
  perUser: number;
  /** By all together within a minute; also bounds what is remembered. */
  inAll: number;
  /** Told whom it refused, and by which of the two. */
  onRefusal?: (by: 'user' | 'all', userId: string) => void;
}

interface Taken {
  userId: string;
  at: number;
  cost: number;
  /** By another process. */
  isHeard?: true;
}

/**
 * How much may happen within a minute, in this process; with `SharedCounts`, in all gateways. One thing may cost more
 * than the limit: what is over it counts as a debt, of which a minute pays as much as the limit.
 */
export class MinuteLimit {
  /** Told what was counted here; below 0 it was given back. */
  onCount: (userId: string, cost: number) => void = () => undefined;
  /** Oldest first; a debt is in the minutes to come. */
  private readonly taken: Taken[] = [];
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly limits: MinuteLimits,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Counts one more, or as many as it costs. Throws `RequestError` `overloaded` unless there is room for one. */
  take(userId: string, cost = 1): void {
    const now = this.clock.now();
    this.forgetOld(now);
    const count = this.counts.get(userId) ?? 0;
    const { perUser, inAll, what, onRefusal } = this.limits;
    if (count >= perUser) {
      onRefusal?.('user', userId);
      throw this.refusal(`Too many ${what} within a minute.`, this.waitMs(userId, count, now));
    }
    if (this.taken.length >= inAll) {
      onRefusal?.('all', userId);
      throw this.refusal(`Too many ${what} of all people at once.`, WINDOW_MS - (now - this.taken[0]!.at));
    }
    this.spread(userId, cost);
    this.onCount(userId, cost);
  }

  /** Counts what another process has counted; a `cost` below 0 was given back. Never refuses. */
  hear(userId: string, cost: number): void {
    this.forgetOld(this.clock.now());
    if (cost < 0) this.forgetHeard(userId, -cost);
    else if (this.taken.length < this.limits.inAll) this.spread(userId, cost, { isHeard: true });
  }

  /** The last one that was counted is not counted. */
  giveBack(userId: string): void {
    const at = this.taken.findLastIndex((entry) => entry.userId === userId && !entry.isHeard);
    if (at < 0) return;
    const [last] = this.taken.splice(at, 1);
    this.countDown(last!);
    this.onCount(userId, -last!.cost);
  }

  private forgetHeard(userId: string, cost: number): void {
    let left = cost;
    for (let at = this.taken.length - 1; at >= 0 && left > 0; at--) {
      const entry = this.taken[at]!;
      if (entry.userId !== userId || !entry.isHeard) continue;
      const given = Math.min(left, entry.cost);
      left -= given;
      entry.cost -= given;
      if (entry.cost === 0) this.taken.splice(at, 1);
      this.countDown({ userId, cost: given });
    }
  }

  /** What is over the limit goes to the minutes to come. */
  private spread(userId: string, cost: number, by: { isHeard?: true } = {}): void {
    const { perUser } = this.limits;
    for (let left = cost, at = this.clock.now(); left > 0; left -= perUser, at += WINDOW_MS)
      this.add({ userId, at, cost: Math.min(left, perUser), ...by });
    this.counts.set(userId, (this.counts.get(userId) ?? 0) + cost);
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

  private countDown({ userId, cost }: Pick<Taken, 'userId' | 'cost'>): void {
    const left = this.counts.get(userId)! - cost;
    if (left > 0) this.counts.set(userId, left);
    else this.counts.delete(userId);
  }
}
