import { expect, it } from '@jest/globals';
import type { Clock } from '../clock.port.js';

/** The promises of every clock. `pass` lets at least this much of its time pass. */
export function describeClockContract(
  create: () => { clock: Clock; pass: (ms: number) => Promise<void> },
): void {
  it('is never early, whatever the fraction of a millisecond', async () => {
    const { clock, pass } = create();
    const early: number[] = [];
    for (let ms = 0; ms < 20; ms += 0.37) {
      const dueAt = clock.now() + ms;
      clock.after(ms, () => void (clock.now() < dueAt && early.push(dueAt - clock.now())));
    }
    const dueAt = clock.now() + 20;
    const slept = clock.sleep(20).then(() => clock.now());
    await pass(25);
    expect(await slept).toBeGreaterThanOrEqual(dueAt);
    expect(early).toEqual([]);
  });

  it('calls once after a time, again and again with every, and soon after what is under way', async () => {
    const { clock, pass } = create();
    const calls: string[] = [];
    clock.after(1, () => calls.push('after'));
    const every = clock.every(2, () => calls.push('every'));
    clock.soon(() => calls.push('soon'));
    expect(calls).toEqual([]);
    const countEvery = () => calls.filter((call) => call === 'every').length;
    // A slow machine does not make up for calls, so time passes until there were two.
    while (countEvery() < 2 || calls.length - countEvery() < 2) await pass(2);
    every.cancel();
    const repeated = countEvery();
    expect(calls.filter((call) => call !== 'every').sort()).toEqual(['after', 'soon']);
    await pass(10);
    expect(countEvery()).toBe(repeated);
  });

  it('can be cancelled: before, in its own call, and afterwards', async () => {
    const { clock, pass } = create();
    const calls: string[] = [];
    clock.after(1, () => calls.push('never')).cancel();
    const once = clock.every(1, () => {
      calls.push('once');
      once.cancel();
    });
    const done = clock.after(1, () => calls.push('done'));
    while (calls.length < 2) await pass(2);
    await pass(5);
    done.cancel();
    expect(calls.sort()).toEqual(['done', 'once']);
  });

  it('ends a sleep with the reason of its signal', async () => {
    const { clock, pass } = create();
    const stop = new AbortController();
    const late = clock.sleep(60_000, stop.signal);
    const outcome = expect(late).rejects.toThrow('enough');
    stop.abort(new Error('enough'));
    await pass(1);
    await outcome;
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
  });

  it('knows monotonic time and the time of day', async () => {
    const { clock, pass } = create();
    const [now, wall] = [clock.now(), clock.wall()];
    await pass(5);
    expect(clock.now() - now).toBeGreaterThanOrEqual(5);
    expect(clock.wall()).toBeGreaterThan(wall);
    expect(new Date(wall).getUTCFullYear()).toBeGreaterThanOrEqual(2026);
  });
}
