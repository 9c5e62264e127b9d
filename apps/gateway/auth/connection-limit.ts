import { RequestError } from '../errors/request-error.js';

const WINDOW_MS = 60_000;
/** Users remembered at once; more of them means that the oldest windows are looked through. */
const MAX_USERS = 10_000;

/** How many connections one user may open within a minute, in this process. */
export class ConnectionLimit {
  private readonly openedAt = new Map<string, number[]>();

  constructor(
    private readonly connectionsPerMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one more, or throws `RequestError` `overloaded`. */
  take(userId: string): void {
    const now = this.now();
    const recent = (this.openedAt.get(userId) ?? []).filter((at) => now - at < WINDOW_MS);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= this.connectionsPerMinute)
      throw new RequestError(
        'overloaded',
        'Too many connections within a minute.',
        Math.ceil(WINDOW_MS - (now - oldest)),
      );
    this.openedAt.set(userId, [...recent, now]);
    if (this.openedAt.size > MAX_USERS) this.forgetOld(now);
  }

  private forgetOld(now: number): void {
    for (const [userId, times] of this.openedAt)
      if (now - times.at(-1)! >= WINDOW_MS) this.openedAt.delete(userId);
  }
}
