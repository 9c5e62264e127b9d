import type { Clock } from '#time';

/** So many within such a time: what a whole fleet may do together. */
export interface Rate {
  count: number;
  perMs: number;
}

/**
 * One process's part of a fleet-wide rate. Tokens flow in evenly; at most what the part allows in one period is kept,
 * or a single one where the part is less. It may go into debt for what turns out larger than was known before.
 */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;
  private parts = 1;

  /** `parts`: processes that share the rate now. */
  constructor(
    private readonly rate: Rate,
    parts: number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.filledAt = clock.now();
    this.parts = Math.max(1, parts);
    // Less than one token at the start: several processes would have one each.
    this.tokens = rate.count / this.parts;
  }

  /** How long until `count` tokens are there; 0 when they are. More than ever fit wait for a full bucket. */
  waitMs(count: number, parts: number): number {
    this.fill(parts);
    const missing = Math.min(count, this.capacity) - this.tokens;
    return missing <= 1e-9 ? 0 : Math.ceil(missing / this.perMs);
  }

  take(count: number): void {
    this.tokens -= count;
  }

  giveBack(count: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  private get capacity(): number {
    return Math.max(1, this.rate.count / this.parts);
  }

  private get perMs(): number {
    return this.rate.count / this.parts / this.rate.perMs;
  }

  private fill(parts: number): void {
    const now = this.clock.now();
    this.tokens += (now - this.filledAt) * this.perMs;
    this.filledAt = now;
    this.parts = Math.max(1, parts);
    this.tokens = Math.min(this.tokens, this.capacity);
  }
}
