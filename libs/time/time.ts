import type { Clock } from './clock.port.js';
import type { Random } from './random.port.js';
import { SystemClock } from './system-clock.js';
import { SystemRandom } from './system-random.js';

/** The sources of time and randomness of a process. */
export interface Time {
  clock: Clock;
  random: Random;
}

/** The machine's time and randomness: for programs, and for tests that are about real time. */
export function systemTime(): Time {
  return { clock: new SystemClock(), random: new SystemRandom() };
}
