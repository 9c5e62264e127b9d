import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 50;

/**
 * Resolves when this process has run for so long. What it stood still counts as one step, unlike with a single timer,
 * which is due at once afterwards, and so before a later one of several that follow each other.
 */
export async function ownTime(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS)
    await delay(Math.min(left, STEP_MS), undefined, { ref: false });
}
