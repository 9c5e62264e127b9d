export { backOffMs, type BackOffLimits } from './back-off.js';
export { timestampOf, type Clock, type Timer } from './clock.port.js';
export { letOthersRun } from './let-others-run.js';
export { limitTime } from './limit-time.js';
export type { Random } from './random.port.js';
export { SystemClock } from './system-clock.js';
export { SystemRandom } from './system-random.js';
export { systemTime, type Time } from './time.js';
export { LateError, settledWithin, within } from './within.js';
