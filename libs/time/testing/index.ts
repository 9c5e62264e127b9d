export { SeededRandom } from './seeded-random.js';
export { SkippingClock } from './skipping-clock.js';
export { VirtualClock } from './virtual-clock.js';
export type { ProcessClock } from './process-clock.js';
