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

/** How much may happen within a minute, in this process. */
export class MinuteLimit {
  /** Oldest first. */
  private readonly taken: { userId: string; at: number }[] = [];
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly limits: MinuteLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one more, or throws `RequestError` `overloaded`. */
  take(userId: string): void {
    const now = this.now();
    this.forgetOld(now);
    const count = this.counts.get(userId) ?? 0;
    if (count >= this.limits.perUser)
      throw this.refusal(
        `Too many ${this.limits.what} within a minute.`,
        now,
        (entry) => entry.userId === userId,
      );
    if (this.taken.length >= this.limits.inAll)
      throw this.refusal(`Too many ${this.limits.what} of all people at once.`, now, () => true);
    this.taken.push({ userId, at: now });
    this.counts.set(userId, count + 1);
  }

  /** The last one that was counted is not counted. */
  giveBack(userId: string): void {
    const at = this.taken.findLastIndex((entry) => entry.userId === userId);
    if (at < 0) return;
    this.taken.splice(at, 1);
    this.countDown(userId);
  }

  private refusal(
    message: string,
    now: number,
    isCounted: (entry: { userId: string }) => boolean,
  ): RequestError {
    const oldest = this.taken.find(isCounted)!;
    return new RequestError('overloaded', message, Math.ceil(WINDOW_MS - (now - oldest.at)));
  }

  private forgetOld(now: number): void {
    let old = 0;
    for (const { userId, at } of this.taken) {
      if (now - at < WINDOW_MS) break;
      old++;
      this.countDown(userId);
    }
    this.taken.splice(0, old);
  }

  private countDown(userId: string): void {
    const left = this.counts.get(userId)! - 1;
    if (left > 0) this.counts.set(userId, left);
    else this.counts.delete(userId);
  }
}
