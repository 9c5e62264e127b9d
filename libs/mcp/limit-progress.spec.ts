import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { LimitedProgress, PROGRESS_GAP_MS } from './limit-progress.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function create() {
  const passed: number[] = [];
  const progress = new LimitedProgress<{ step: number }>(
    ({ step }) => passed.push(step),
    () => Date.now(),
  );
  return { passed, progress };
}

it('passes the first report on at once, then the latest of those that come within the gap', () => {
  const { passed, progress } = create();
  for (let step = 1; step <= 1_000; step++) progress.report({ step });
  expect(passed).toEqual([1]);
  jest.advanceTimersByTime(PROGRESS_GAP_MS);
  expect(passed).toEqual([1, 1_000]);
  jest.advanceTimersByTime(10 * PROGRESS_GAP_MS);
  expect(passed).toEqual([1, 1_000]);
});

it('passes at most five a second on, however many come', () => {
  const { passed, progress } = create();
  for (let ms = 0; ms < 2_000; ms++) {
    progress.report({ step: ms });
    jest.advanceTimersByTime(1);
  }
  expect(passed.length).toBeLessThanOrEqual(11);
  expect(passed.length).toBeGreaterThanOrEqual(10);
});

it('passes the last one on when the call ends, once, and leaves no timer', () => {
  const { passed, progress } = create();
  progress.report({ step: 1 });
  progress.report({ step: 2 });
  progress.flush();
  progress.flush();
  expect(passed).toEqual([1, 2]);
  expect(jest.getTimerCount()).toBe(0);
});
