import type { FaultPointName } from './fault-point-names.js';
import { parseFault, type Fault } from './parse-fault.js';
import { createStrike } from './strike.js';

/*
 * Places where crash tests let a real process die, freeze, lose its broker or hesitate. Inert unless the environment
 * variable SWITCHYARD_FAULT arms one of them, which then strikes once.
 */

/**
 * `await ports.faultPoint('turn_claimed')`: says that a process has passed that point. Does nothing, except in a
 * process that a test has armed for it.
 */
export type FaultPoint = (name: FaultPointName) => Promise<void> | undefined;

/** Of a process that nothing strikes. */
export const noFaults: FaultPoint = () => undefined;

const drops: (() => void)[] = [];
let pass: FaultPoint | undefined;

/** At the start of a process. Throws `FaultSetupError` on a text that arms nothing. */
export function armFault(text: string | undefined): void {
  const fault = parseFault(text);
  pass = fault && createPass(fault, createStrike(drops));
}

/** The points of this operating system process, for its programs: everything else is given one. */
export function faultPoint(name: FaultPointName): Promise<void> | undefined {
  return pass === undefined ? undefined : pass(name);
}

/** Says how `drop_connection` breaks this process's connections to the broker; kept only by an armed process. */
export function onDropConnection(drop: () => void): void {
  if (pass !== undefined) drops.push(drop);
}

/** Counts passages and strikes at the one that the fault names. */
export function createPass(fault: Fault, strike: (fault: Fault) => Promise<void>): FaultPoint {
  let passages = 0;
  return (name) => (name === fault.name && ++passages === fault.passage ? strike(fault) : undefined);
}
