import type { Random } from './random.js';

/** What goes wrong, and how often: probabilities of one operation, times in milliseconds. */
export interface FaultRates {
  /** A message gets lost although it was confirmed. */
  drop: number;
  /** A message arrives twice, the second time later. */
  duplicate: number;
  /** A publish is answered `unknown`, whether or not it arrived. */
  unknown: number;
  /** An operation of the store fails before it had an effect, after it, or before it has one later. */
  storeBefore: number;
  storeAfter: number;
  storeLate: number;
  /** Something takes seconds instead of milliseconds. */
  slow: number;
  latencyMs: number;
  slowMs: number;
}

export const STORMY: FaultRates = {
  drop: 0.1,
  duplicate: 1,
  unknown: 0.05,
  storeBefore: 0.02,
  storeAfter: 0.02,
  storeLate: 0.005,
  slow: 0.02,
  latencyMs: 15,
  slowMs: 2_500,
};

export const CALM: FaultRates = {
  drop: 0,
  duplicate: 0,
  unknown: 0,
  storeBefore: 0,
  storeAfter: 0,
  storeLate: 0,
  slow: 0,
  latencyMs: 5,
  slowMs: 0,
};

/** The faults of one run, as they are now, and the only place that makes anybody wait for nothing. */
export class Faults {
  rates: FaultRates = STORMY;
  /** Nobody reaches the store. */
  isStoreDown = false;

  constructor(readonly random: Random) {}

  happens(kind: 'drop' | 'duplicate' | 'unknown' | 'slow'): boolean {
    return this.random.chance(this.rates[kind]);
  }

  /** How an operation of the store fails, if it does. */
  storeFailure(): 'before' | 'after' | 'late' | undefined {
    if (this.isStoreDown) return 'before';
    const { storeBefore, storeAfter, storeLate } = this.rates;
    const drawn = this.random.next();
    if (drawn < storeBefore) return 'before';
    if (drawn < storeBefore + storeAfter) return 'after';
    return drawn < storeBefore + storeAfter + storeLate ? 'late' : undefined;
  }

  latencyMs(): number {
    const { latencyMs, slowMs } = this.rates;
    return this.happens('slow') ? this.random.between(latencyMs, slowMs) : this.random.between(0, latencyMs);
  }

  delay(ms = this.latencyMs()): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
