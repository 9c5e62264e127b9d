import type { Refusals } from '#observability';
import { RequestError } from '../../errors/request-error.js';
import { MAX_BODY_BYTES } from './body-limits.js';

const RETRY_MS = 2_000;
/** By the name of the limit. */
const STATUS = { body_bytes: 503, body_bytes_per_user: 429, large_bodies_per_user: 429 } as const;
/** Of all bytes; what is left is for bodies that are not large. */
const SHARE_OF_LARGE = 0.75;

export interface BodyLimits {
  bodyBytes: number;
  bodyBytesPerUser: number;
  largeBodiesPerUser: number;
}

interface Holder {
  bytes: number;
  count: number;
}

/** `status`: 429 if the user's own bodies are too many, 503 if those of all users are. */
export class TooManyBytes extends RequestError {
  override name = 'TooManyBytes';

  constructor(
    message: string,
    readonly status: 429 | 503,
  ) {
    super('overloaded', message, RETRY_MS);
  }
}

/** What one body holds. */
export interface HeldBody {
  /** All bytes that have come so far. Throws `RequestError` `overloaded`. */
  grow(bytes: number): void;
  /** May be called again. */
  release(): void;
}

/**
 * Bytes of the bodies that are being received or wait to be read. A large body, of more than 1 MiB, is held for its
 * user from its announced length on; of others only what has come counts, and only for all.
 */
export class BodyBudget {
  private bytes = 0;
  private largeBytes = 0;
  private readonly users = new Map<string, Holder>();

  constructor(
    private readonly limits: BodyLimits,
    private readonly refusals: Pick<Refusals, 'note'>,
  ) {}

  /** @param userId undefined if users are not counted. Throws `RequestError` `overloaded`. */
  enter(userId: string | undefined, announcedBytes: number): HeldBody {
    let held = 0;
    let isReleased = false;
    const grow = (bytes: number) => {
      if (isReleased || bytes <= held) return;
      this.judge(userId, held, bytes);
      this.bytes += bytes - held;
      if (isLarge(held)) this.count(userId, bytes - held, 0);
      else if (isLarge(bytes)) this.count(userId, bytes, 1);
      held = bytes;
    };
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.bytes -= held;
      if (isLarge(held)) this.count(userId, -held, -1);
    };
    if (isLarge(announcedBytes)) grow(announcedBytes);
    else this.judge(userId, held, announcedBytes);
    return { grow, release };
  }

  /** For tests and metrics. */
  get held(): number {
    return this.bytes;
  }

  /** Throws unless a body of which `held` bytes are held may have `bytes`. */
  private judge(userId: string | undefined, held: number, bytes: number): void {
    const more = bytes - held;
    const becomesLarge = isLarge(bytes) && !isLarge(held);
    const { bodyBytes, bodyBytesPerUser, largeBodiesPerUser } = this.limits;
    const user = userId === undefined ? undefined : this.users.get(userId);
    const moreLarge = becomesLarge ? bytes : more;
    if (becomesLarge && (user?.count ?? 0) >= largeBodiesPerUser)
      throw this.refuse('large_bodies_per_user', userId, 'Too many of your large requests are being read');
    if (isLarge(bytes) && userId !== undefined && (user?.bytes ?? 0) + moreLarge > bodyBytesPerUser)
      throw this.refuse('body_bytes_per_user', userId, 'Too many bytes of your requests are being read');
    if (
      this.bytes + more > bodyBytes ||
      (isLarge(bytes) && this.largeBytes + moreLarge > bodyBytes * SHARE_OF_LARGE)
    )
      throw this.refuse('body_bytes', userId, 'Too many bytes of requests are being read');
  }

  private count(userId: string | undefined, bytes: number, bodies: number): void {
    this.largeBytes += bytes;
    if (userId === undefined) return;
    const { bytes: before, count } = this.users.get(userId) ?? { bytes: 0, count: 0 };
    const holder = { bytes: before + bytes, count: count + bodies };
    if (holder.count > 0) this.users.set(userId, holder);
    else this.users.delete(userId);
  }

  private refuse(limit: keyof typeof STATUS, userId: string | undefined, what: string): TooManyBytes {
    this.refusals.note(limit, userId === undefined ? {} : { user_id: userId });
    return new TooManyBytes(`${what} right now. Try again.`, STATUS[limit]);
  }
}

function isLarge(bytes: number): boolean {
  return bytes > MAX_BODY_BYTES;
}
