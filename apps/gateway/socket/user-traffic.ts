import type { Clock } from '#time';
import { OpenLimit } from '../auth/open-limit.js';
import { RequestError } from '../errors/request-error.js';

const WINDOW_MS = 60_000;
/** Who goes on sending what is refused is cut off at this many times the limit. */
const CUT_OFF_AT = 2;
/** Windows that are over are forgotten when there are so many. */
const MANY_WINDOWS = 20_000;

export interface TrafficLimits {
  socketsPerUser: number;
  bytesPerMinute: number;
}

/** How many sockets each user has open in this process, and how much came in over them. */
export class UserTraffic {
  private readonly open: OpenLimit;
  /** A minute each, from its first byte on. */
  private readonly received = new Map<string, { since: number; bytes: number }>();

  constructor(
    private readonly limits: TrafficLimits,
    private readonly onRefusal: (limit: string, userId: string) => void,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.open = new OpenLimit({
      what: 'connections',
      perUser: limits.socketsPerUser,
      onRefusal: (userId) => onRefusal('sockets_per_user', userId),
    });
  }

  /** One more socket, until the returned function is called. Throws `RequestError` `overloaded`. */
  enter(userId: string): () => void {
    return this.open.enter(userId);
  }

  /** Counts what came in; `cut off` when it is far too much. */
  receive(userId: string, bytes: number): 'fine' | 'cut off' {
    const now = this.clock.now();
    let window = this.received.get(userId);
    if (!window || now - window.since >= WINDOW_MS) {
      this.forgetOld(now);
      window = { since: now, bytes: 0 };
      this.received.set(userId, window);
    }
    window.bytes += bytes;
    return window.bytes > this.limits.bytesPerMinute * CUT_OFF_AT ? 'cut off' : 'fine';
  }

  /** Throws `RequestError` `overloaded` while more has come in than may. */
  check(userId: string): void {
    const window = this.received.get(userId);
    const leftMs = window ? WINDOW_MS - (this.clock.now() - window.since) : 0;
    if (!window || leftMs <= 0 || window.bytes <= this.limits.bytesPerMinute) return;
    this.onRefusal('bytes_per_minute', userId);
    throw new RequestError('overloaded', 'Too many bytes within a minute.', Math.ceil(leftMs));
  }

  private forgetOld(now: number): void {
    if (this.received.size < MANY_WINDOWS) return;
    for (const [userId, { since }] of this.received)
      if (now - since >= WINDOW_MS) this.received.delete(userId);
  }
}
