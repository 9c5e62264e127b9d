import type { Clock } from './clock.port.js';
import type { Random } from './random.port.js';
import { SystemClock } from './system-clock.js';
import { SystemRandom } from './system-random.js';

/** Where a process takes its time and chance from. */
export interface Time {
  clock: Clock;
  random: Random;
}

/** The machine's: for programs, and for tests of what is about real time. */
export function systemTime(): Time {
  return { clock: new SystemClock(), random: new SystemRandom() };
}
