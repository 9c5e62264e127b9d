import { describe, expect, it } from '@jest/globals';
import { describeClockContract } from './clock-contract.js';
import { SkippingClock } from './skipping-clock.js';

const MINUTE_MS = 60_000;

describe('SkippingClock', () => {
  describeClockContract(() => {
    const clock = new SkippingClock();
    return { clock, pass: (ms) => clock.skip(ms) };
  });

  it('also advances on its own', async () => {
    const clock = new SkippingClock();
    const before = clock.now();
    await clock.sleep(5);
    expect(clock.now() - before).toBeGreaterThanOrEqual(5);
  });

  it('runs due timers in the order of their time, at that time, with those they start', async () => {
    const clock = new SkippingClock();
    const start = clock.now();
    const calls: [string, number][] = [];
    const note = (name: string) => calls.push([name, Math.floor((clock.now() - start) / MINUTE_MS)]);
    clock.after(3 * MINUTE_MS, () => note('third'));
    clock.after(MINUTE_MS, () => {
      note('first');
      clock.after(MINUTE_MS, () => note('second'));
    });
    const never = clock.after(5 * MINUTE_MS, () => note('never'));
    await clock.skip(4 * MINUTE_MS);
    never.cancel();
    expect(calls).toEqual([
      ['first', 1],
      ['second', 2],
      ['third', 3],
    ]);
  });

  it('runs the remaining timers when the rest of their time has passed', async () => {
    const clock = new SkippingClock();
    const rest = new Promise<void>((resolve) => clock.after(MINUTE_MS, resolve));
    await clock.skip(MINUTE_MS - 5);
    await rest;
  });
});
