import { expect, it } from '@jest/globals';
import { limitTime } from './limit-time.js';
import { SeededRandom } from './testing/seeded-random.js';
import { VirtualClock } from './testing/virtual-clock.js';

it('limitTime aborts with a TimeoutError when the time is over', async () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const limited = [limitTime(clock, 50), limitTime(clock, 50, new AbortController().signal)];
  await clock.advance(49);
  expect(limited.map(({ aborted }) => aborted)).toEqual([false, false]);
  await clock.advance(1);
  for (const { reason } of limited) expect(reason).toMatchObject({ name: 'TimeoutError' });
});

it('limitTime aborts earlier with the given signal, and leaves no timer then', async () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const stop = new AbortController();
  const limited = limitTime(clock, 50, stop.signal);
  stop.abort('enough');
  expect(limited.reason).toBe('enough');
  await clock.advance(50);
  expect([limited.reason, clock.ran]).toEqual(['enough', 0]);
});
