import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Places where crash tests let a real process die, freeze or hesitate. Inert unless the environment variable
 * SWITCHYARD_FAULT arms one of them: `name:kill`, `name:freeze` or `name:delay:<ms>`, which then strikes once.
 */

export type Fault =
  { name: string; kind: 'kill' | 'freeze' } | { name: string; kind: 'delay'; delayMs: number };

export type FaultPoint = (name: string) => Promise<void> | undefined;

/** Throws on text that arms nothing, because a crash test that crashes nothing passes. */
export function parseFault(text: string | undefined): Fault | undefined {
  if (text === undefined || text === '') return undefined;
  const [, name, kind, delayMs] = /^([a-z0-9_.-]+):(kill|freeze|delay)(?::(\d+))?$/.exec(text) ?? [];
  if (name === undefined || (kind === 'delay') !== (delayMs !== undefined)) {
    throw new Error('SWITCHYARD_FAULT must be <name>:kill, <name>:freeze or <name>:delay:<ms>');
  }
  return kind === 'delay'
    ? { name, kind, delayMs: Number(delayMs) }
    : { name, kind: kind as 'kill' | 'freeze' };
}

export function createFaultPoint(
  fault: Fault | undefined,
  strike: (fault: Fault) => Promise<void>,
): FaultPoint {
  let armed = fault;
  return (name) => {
    if (armed === undefined || armed.name !== name) return undefined;
    const struck = armed;
    armed = undefined;
    return strike(struck);
  };
}

async function strikeThisProcess(fault: Fault): Promise<void> {
  if (fault.kind === 'delay') return sleep(fault.delayMs);
  process.kill(process.pid, fault.kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  // The signal may take effect a moment later; nothing of the caller may run before that.
  await sleep(100);
}

/** `await faultPoint('after_commit')`: does nothing, except in a crash test that names this point. */
export const faultPoint: FaultPoint = createFaultPoint(
  parseFault(process.env.SWITCHYARD_FAULT),
  strikeThisProcess,
);
