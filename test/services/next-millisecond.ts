import { waitFor } from './wait-for.js';

/** Resolves when it is later than `at` (ISO 8601, UTC): lists by time know no order within a millisecond. */
export async function nextMillisecond(at: string): Promise<void> {
  const isLater = () => new Date().toISOString() > at;
  await waitFor(isLater, { what: `a time after ${at}`, intervalMs: 1 });
}
