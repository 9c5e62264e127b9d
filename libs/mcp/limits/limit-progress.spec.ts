import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { LimitedProgress, PROGRESS_GAP_MS } from './limit-progress.js';

function create() {
  const passed: number[] = [];
  const clock = new VirtualClock(new SeededRandom(1));
  const progress = new LimitedProgress<{ step: number }>(({ step }) => passed.push(step), clock);
  return { passed, progress, clock };
}

it('LimitedProgress sends the first report at once, then the latest of those within the gap', async () => {
  const { passed, progress, clock } = create();
  for (let step = 1; step <= 1_000; step++) progress.report({ step });
  expect(passed).toEqual([1]);
  await clock.advance(PROGRESS_GAP_MS);
  expect(passed).toEqual([1, 1_000]);
  await clock.advance(10 * PROGRESS_GAP_MS);
  expect(passed).toEqual([1, 1_000]);
});

it('LimitedProgress sends at most five reports a second', async () => {
  const { passed, progress, clock } = create();
  for (let ms = 0; ms < 2_000; ms++) {
    progress.report({ step: ms });
    await clock.advance(1);
  }
  expect(passed.length).toBeLessThanOrEqual(11);
  expect(passed.length).toBeGreaterThanOrEqual(10);
});

it('LimitedProgress sends the last report once when the call ends, and leaves no timer', async () => {
  const { passed, progress, clock } = create();
  progress.report({ step: 1 });
  progress.report({ step: 2 });
  progress.flush();
  progress.flush();
  await clock.advance(10 * PROGRESS_GAP_MS);
  expect([passed, clock.ran]).toEqual([[1, 2], 0]);
});
