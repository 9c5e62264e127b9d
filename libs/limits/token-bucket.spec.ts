import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.js';

const MINUTE_MS = 60_000;

function createBucket(count: number, parts = 1) {
  const time = { now: 0 };
  const bucket = new TokenBucket({ count, perMs: MINUTE_MS }, parts, { now: () => time.now });
  return { bucket, time };
}

describe('a token bucket', () => {
  it('grants tokens at its rate, then returns the exact time of the next one', () => {
    const { bucket, time } = createBucket(3);
    for (let taken = 0; taken < 3; taken++) {
      expect(bucket.waitMs(1, 1)).toBe(0);
      bucket.take(1);
    }
    expect(bucket.waitMs(1, 1)).toBe(20_000);
    time.now = 19_999;
    expect(bucket.waitMs(1, 1)).toBe(1);
    time.now = 20_000;
    expect(bucket.waitMs(1, 1)).toBe(0);
  });

  it('keeps no more than one period’s tokens, however long it is unused', () => {
    const { bucket, time } = createBucket(3);
    time.now = 100 * MINUTE_MS;
    expect(bucket.waitMs(1, 1)).toBe(0);
    bucket.take(3);
    expect(bucket.waitMs(1, 1)).toBeGreaterThan(0);
  });

  it('grants each of three processes a third', () => {
    const { bucket, time } = createBucket(3, 3);
    expect(bucket.waitMs(1, 3)).toBe(0);
    bucket.take(1);
    expect(bucket.waitMs(1, 3)).toBe(MINUTE_MS);
    time.now = MINUTE_MS / 2;
    // Two of them leave: what flows in from now on is all mine.
    expect(bucket.waitMs(1, 1)).toBe(10_000);
  });

  it('makes processes wait that share less than one token each', () => {
    const { bucket } = createBucket(1, 4);
    expect(bucket.waitMs(1, 4)).toBe(3 * MINUTE_MS);
  });

  it('tells how many tokens are left, also in debt', () => {
    const { bucket, time } = createBucket(60);
    bucket.take(90);
    expect(bucket.left(1)).toBe(-30);
    time.now = MINUTE_MS / 2;
    expect(bucket.left(1)).toBeCloseTo(0);
    time.now = 10 * MINUTE_MS;
    expect(bucket.left(2)).toBe(30);
  });

  it('recovers the difference when a request was larger than estimated', () => {
    const { bucket } = createBucket(60);
    bucket.take(90);
    expect(bucket.waitMs(1, 1)).toBe(31_000);
  });

  it('never exceeds the rate plus one full bucket, whichever processes come and go', () => {
    const asks = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 30_000 }), parts: fc.integer({ min: 1, max: 4 }) }),
      { maxLength: 100 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), asks, (count, steps) => {
        const { bucket, time } = createBucket(count);
        let passed = 0;
        for (const { afterMs, parts } of steps) {
          time.now += afterMs;
          if (bucket.waitMs(1, parts) > 0) continue;
          bucket.take(1);
          passed++;
        }
        expect(passed).toBeLessThanOrEqual(count + (count * time.now) / MINUTE_MS + 1e-6);
      }),
    );
  });
});
