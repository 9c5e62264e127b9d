export { SeededRandom } from './seeded-random.js';
export { VirtualClock } from './virtual-clock.js';
export type { ProcessClock } from './process-clock.js';
