import { expect, test } from '@jest/globals';
import { standStill } from './stand-still.js';
import { Stopwatch } from './stopwatch.js';
import { waitFor } from './wait-for.js';

const BLOCKED_MS = 500;

test('a stopwatch leaves out what its process was not let run for', async () => {
  const watch = new Stopwatch();
  const startedAt = performance.now();
  await waitFor(() => performance.now() - startedAt > 100, { what: 'a moment' });
  standStill(BLOCKED_MS);
  const wholeMs = performance.now() - startedAt;
  const { tookMs, stalledMs } = watch.stop();
  // A tick is no stall.
  expect(stalledMs).toBeGreaterThan(BLOCKED_MS - 50);
  expect(tookMs).toBeGreaterThan(0);
  expect(tookMs + stalledMs).toBeGreaterThanOrEqual(wholeMs);
});
