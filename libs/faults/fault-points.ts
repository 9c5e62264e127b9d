import type { FaultPointName } from './fault-point-names.js';
import { parseFault, type Fault } from './parse-fault.js';
import { createStrike } from './strike.js';

/*
 * Places where crash tests make a real process die, freeze, lose its broker or pause. They do nothing unless the
 * environment variable SWITCHYARD_FAULT arms one of them, which then strikes once.
 */

/**
 * `await ports.faultPoint('turn_claimed')` reports that the process has passed that point. It does nothing, except in a
 * process that a test has armed for it.
 */
export type FaultPoint = (name: FaultPointName) => Promise<void> | undefined;

/** For a process without faults. */
export const noFaults: FaultPoint = () => undefined;

const drops: (() => void)[] = [];
let pass: FaultPoint | undefined;

/** Called at the start of a process. Throws `FaultSetupError` if the text arms nothing. */
export function armFault(text: string | undefined): void {
  const fault = parseFault(text);
  pass = fault && createPass(fault, createStrike(drops));
}

/** The points of this operating system process, for its programs; all other code gets them as a parameter. */
export function faultPoint(name: FaultPointName): Promise<void> | undefined {
  return pass === undefined ? undefined : pass(name);
}

/** Sets how `drop_connection` breaks this process's connections to the broker; only an armed process stores it. */
export function onDropConnection(drop: () => void): void {
  if (pass !== undefined) drops.push(drop);
}

/** Counts passages and strikes at the one that the fault names. */
export function createPass(fault: Fault, strike: (fault: Fault) => Promise<void>): FaultPoint {
  let passages = 0;
  return (name) => (name === fault.name && ++passages === fault.passage ? strike(fault) : undefined);
}
