import type { Clock } from './clock.port.js';

/**
 * Resolves when the condition holds, or after `looks` looks that are `everyMs` apart. Counts looks instead of reading a
 * clock: a process that was stopped then still has time to read new rows.
 */
export async function pollUntil(
  clock: Pick<Clock, 'sleep'>,
  { looks, everyMs }: { looks: number; everyMs: number },
  isDone: () => boolean = () => false,
): Promise<void> {
  for (let look = 0; look < looks && !isDone(); look++) await clock.sleep(everyMs);
}
