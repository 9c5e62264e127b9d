export { runTool } from '../run-tool.js';
export { InPlaceChecks } from './in-place-checks.js';
export { PNG } from './pictures.js';
