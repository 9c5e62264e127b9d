import { RateWindow, type Clock } from '#time';
import { OpenLimit } from '../../limits/open-limit.js';
import { RequestError } from '../../errors/request-error.js';

const WINDOW_MS = 60_000;
/** A client that continues to send after refusals is cut off at this many times the limit. */
const CUT_OFF_AT = 2;

export interface TrafficLimits {
  socketsPerUser: number;
  bytesPerMinute: number;
}

/** How many sockets each user has open in this process, and how many bytes arrived over them. */
export class UserTraffic {
  private readonly open: OpenLimit;
  /** One minute each, from its first byte. */
  private readonly received: RateWindow;

  constructor(
    private readonly limits: TrafficLimits,
    private readonly onRefusal: (limit: string, userId: string) => void,
    clock: Pick<Clock, 'now'>,
  ) {
    this.received = new RateWindow(clock, { windowMs: WINDOW_MS, sliceMs: WINDOW_MS });
    this.open = new OpenLimit({
      what: 'connections',
      perUser: limits.socketsPerUser,
      onRefusal: (userId) => onRefusal('sockets_per_user', userId),
    });
  }

  /** Counts one more socket until the returned function is called. Throws `RequestError` `overloaded`. */
  enter(userId: string): () => void {
    return this.open.enter(userId);
  }

  /** Counts received bytes; `cut off` when they are far too many. */
  receive(userId: string, bytes: number): 'fine' | 'cut off' {
    this.received.add(userId, bytes);
    return this.received.sumOf(userId) > this.limits.bytesPerMinute * CUT_OFF_AT ? 'cut off' : 'fine';
  }

  /** Throws `RequestError` `overloaded` while the received bytes exceed the limit. */
  check(userId: string): void {
    const waitMs = this.received.waitMs(userId, this.limits.bytesPerMinute + 1);
    if (waitMs === 0) return;
    this.onRefusal('bytes_per_minute', userId);
    throw new RequestError('overloaded', 'Too many bytes within a minute.', Math.ceil(waitMs));
  }
}
