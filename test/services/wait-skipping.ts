import type { SkippingClock } from '#time/testing';
import { waitFor } from './wait-for.js';

interface SkipOptions {
  what: string;
  /** So much of the clock's time is skipped at most; after that, time passes as it does. */
  withinMs: number;
}

/** Between two steps the event loop turns: a socket has a real moment to answer. */
const STEP_MS = 250;
const INTERVAL_MS = 5;

/** As `waitFor`, while the time of the code under test is skipped step by step. */
export function waitSkipping<T>(
  clock: SkippingClock,
  ask: () => T | Promise<T>,
  { what, withinMs }: SkipOptions,
): Promise<NonNullable<T>> {
  let leftMs = withinMs;
  return waitFor(
    async () => {
      const stepMs = Math.min(STEP_MS, leftMs);
      leftMs -= stepMs;
      if (stepMs > 0) await clock.skip(stepMs);
      return ask();
    },
    { what, intervalMs: INTERVAL_MS },
  );
}
