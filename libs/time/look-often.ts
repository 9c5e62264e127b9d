import type { Clock } from './clock.port.js';

/**
 * Resolves when it is so, or after `looks` looks that are `everyMs` apart. Counts looks instead of asking a clock: a
 * process that stood still has time left to read what came meanwhile.
 */
export async function lookOften(
  clock: Pick<Clock, 'sleep'>,
  { looks, everyMs }: { looks: number; everyMs: number },
  isSo: () => boolean = () => false,
): Promise<void> {
  for (let look = 0; look < looks && !isSo(); look++) await clock.sleep(everyMs);
}
