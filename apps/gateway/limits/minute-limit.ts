import { RateWindow, type Clock } from '#time';
import { RequestError } from '../errors/request-error.js';

const WINDOW_MS = 60_000;
const HERE = 'here';
const ELSEWHERE = 'elsewhere';

export interface MinuteLimits {
  /** What is counted, for people: `connections`. */
  what: string;
  /** By one user within a minute. */
  perUser: number;
  /** By all users together within a minute; also bounds the memory. */
  inAll: number;
  /** Called with the refused user and the limit that refused. */
  onRefusal?: (by: 'user' | 'all', userId: string) => void;
}

/**
 * How much may happen within a minute, in this process; with `SharedCounts`, in all gateways. One event may cost more
 * than the limit: the excess is a debt, of which each minute pays as much as the limit.
 */
export class MinuteLimit {
  /** Called with each cost counted here; a cost below 0 was given back. */
  onCount: (userId: string, cost: number) => void = () => undefined;
  private readonly taken: RateWindow;

  constructor(
    private readonly limits: MinuteLimits,
    clock: Pick<Clock, 'now'>,
  ) {
    this.taken = new RateWindow(clock, { windowMs: WINDOW_MS });
  }

  /** Counts one more, or as many as it costs. Throws `RequestError` `overloaded` unless there is room for one. */
  take(userId: string, cost = 1): void {
    const { perUser, inAll, what, onRefusal } = this.limits;
    const waitMs = this.taken.waitMs(userId, perUser);
    if (waitMs > 0) {
      onRefusal?.('user', userId);
      throw this.refusal(`Too many ${what} within a minute.`, waitMs);
    }
    if (this.taken.size >= inAll) {
      onRefusal?.('all', userId);
      throw this.refusal(`Too many ${what} from all users right now.`, this.taken.nextEndMs);
    }
    this.spread(userId, cost, HERE);
    this.onCount(userId, cost);
  }

  /** Counts what another process has counted; a `cost` below 0 was given back. Never refuses. */
  countRemote(userId: string, cost: number): void {
    if (cost < 0) this.taken.takeBack(userId, ELSEWHERE, -cost);
    else if (this.taken.size < this.limits.inAll) this.spread(userId, cost, ELSEWHERE);
  }

  /** Uncounts the last one. */
  giveBack(userId: string): void {
    const cost = this.taken.takeBack(userId, HERE);
    if (cost > 0) this.onCount(userId, -cost);
  }

  /** Moves the excess to the following minutes. */
  private spread(userId: string, cost: number, source: string): void {
    const { perUser } = this.limits;
    for (let left = cost, laterMs = 0; left > 0; left -= perUser, laterMs += WINDOW_MS)
      this.taken.add(userId, Math.min(left, perUser), { source, laterMs });
  }

  private refusal(message: string, waitMs: number): RequestError {
    return new RequestError('overloaded', message, Math.ceil(waitMs));
  }
}
