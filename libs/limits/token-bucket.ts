import type { Clock } from '#time';

/** A number within a period, shared by the whole fleet. */
export interface Rate {
  count: number;
  perMs: number;
}

/**
 * One process's part of a fleet-wide rate. Tokens arrive evenly. The bucket keeps at most the part's tokens of one
 * period, or a single token if the part is smaller. It may go into debt when a request turns out larger than estimated.
 */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;
  private parts = 1;

  /** `parts`: the number of processes that share the rate now. */
  constructor(
    private readonly rate: Rate,
    parts: number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.filledAt = clock.now();
    this.parts = Math.max(1, parts);
    // Less than one token at the start, because several processes would otherwise have one each.
    this.tokens = rate.count / this.parts;
  }

  /** The time until `count` tokens are there; 0 when they are. A count above the capacity waits for a full bucket. */
  waitMs(count: number, parts: number): number {
    this.fill(parts);
    const missing = Math.min(count, this.capacity) - this.tokens;
    return missing <= 1e-9 ? 0 : Math.ceil(missing / this.perMs);
  }

  /** How many are there now; negative in debt. */
  left(parts: number): number {
    this.fill(parts);
    return this.tokens;
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
