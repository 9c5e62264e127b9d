import { describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from './system-clock.js';
import { describeClockContract } from './testing/clock-contract.js';

describe('SystemClock', () => {
  describeClockContract(() => {
    const clock = new SystemClock();
    return { clock, pass: (ms) => clock.sleep(ms) };
  });

  it('waits again when the timer of Node fires early', () => {
    const callbacks: (() => void)[] = [];
    const timer = { unref: () => timer };
    const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void) => {
      callbacks.push(act);
      return timer;
    }) as unknown as typeof setTimeout);
    let time = 100;
    const clock = new SystemClock();
    clock.now = () => time;
    const calls: number[] = [];
    clock.after(50, () => calls.push(time));
    time = 149.5;
    callbacks.shift()!();
    expect(calls).toEqual([]);
    time = 150;
    callbacks.shift()!();
    spy.mockRestore();
    expect(calls).toEqual([150]);
  });

  it('waits longer than a timer of Node can', async () => {
    const clock = new SystemClock();
    const calls: string[] = [];
    const timer = clock.after(2 ** 40, () => calls.push('after'));
    const stop = new AbortController();
    const sleeping = clock.sleep(2 ** 40, stop.signal).catch(() => calls.push('slept'));
    await clock.sleep(5);
    expect(calls).toEqual([]);
    timer.cancel();
    stop.abort();
    await sleeping;
    expect(calls).toEqual(['slept']);
  });
});
