export type { FaultPointName } from './fault-point-names.js';
export { armFault, faultPoint, onDropConnection } from './fault-points.js';
