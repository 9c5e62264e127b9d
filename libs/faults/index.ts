export type { FaultPointName } from './fault-point-names.js';
export { armFault, faultPoint, noFaults, onDropConnection, type FaultPoint } from './fault-points.js';
