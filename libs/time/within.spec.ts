import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';
import { SystemRandom } from './system-random.js';
import { SeededRandom } from './testing/seeded-random.js';
import { VirtualClock } from './testing/virtual-clock.js';
import { LateError, settledWithin, within } from './within.js';

describe('within', () => {
  it('settles as the work does, and leaves no timer', async () => {
    const clock = new VirtualClock(new SeededRandom(1));
    expect(await within(clock, Promise.resolve('done'), 100)).toBe('done');
    await expect(within(clock, Promise.reject(new Error('broken')), 100)).rejects.toThrow('broken');
    await clock.advance(1_000);
    expect(clock.ran).toBe(0);
  });

  it('reports late work, and ignores how it ends', async () => {
    const clock = new VirtualClock(new SeededRandom(1));
    const work = clock.sleep(200).then(() => Promise.reject(new Error('too late')));
    const late = expect(within(clock, work, 100)).rejects.toThrow(LateError);
    await clock.advance(500);
    await late;
  });

  it('distinguishes settled from late', async () => {
    const clock = new VirtualClock(new SeededRandom(1));
    const failed = clock.sleep(50).then(() => Promise.reject(new LateError(1)));
    const ends = [clock.sleep(50), failed, clock.sleep(101)].map((work) => settledWithin(clock, work, 100));
    await clock.advance(500);
    expect(await Promise.all(ends)).toEqual([true, true, false]);
  });
});

describe('backOffMs', () => {
  const limits = { firstMs: 100, longestMs: 5_000 };

  it('doubles up to the maximum, less a random half', () => {
    const random = new SeededRandom(3);
    for (let failures = 0; failures < 1_100; failures++) {
      const wholeMs = Math.min(5_000, 100 * 2 ** failures);
      const ms = backOffMs(failures, limits, random);
      expect(ms).toBeGreaterThanOrEqual(wholeMs / 2);
      expect(ms).toBeLessThan(wholeMs);
    }
  });
});

it('backOffMs of the machine is within the same bounds', () => {
  const random = new SystemRandom();
  for (let draw = 0; draw < 1_000; draw++) {
    expect(random.float()).toBeLessThan(1);
    expect(random.jitter(100)).toBeGreaterThanOrEqual(75);
    expect(random.jitter(100)).toBeLessThan(125);
  }
  expect(random.id('turn-')).toMatch(/^turn-[0-9a-f-]{36}$/);
  expect(random.bytes(5)).toHaveLength(5);
});
