export { InPlaceChecks } from './in-place-checks.js';
