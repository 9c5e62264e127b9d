import { describe, expect, it } from '@jest/globals';
import type { Liveness } from './liveness.js';
import { decideStopped } from './stopped-calls.js';

const claimsOf = (...owners: string[]) => owners.map((owner) => ({ owner }));
const livenessOf = (known: Record<string, Liveness>) => (id: string) => known[id] ?? 'alive';
const stoodBack = (worker: string, started: boolean) => ({ worker, started });

describe('a stopped call that was claimed to run', () => {
  it('is left to every process that claimed it and is not dead', () => {
    const claims = claimsOf('worker-1', 'worker-2', 'worker-1', 'worker-3');
    const liveness = livenessOf({ 'worker-3': 'dead', 'worker-2': 'suspect' });
    const owners = ['worker-1', 'worker-2'];
    expect(decideStopped(claims, { liveness })).toEqual({ do: 'cancel', owners, stoodBack: [] });
  });

  it('is left to owners that have not stood back, with the list of those that have', () => {
    const gone = [stoodBack('worker-2', false)];
    expect(
      decideStopped(claimsOf('worker-1', 'worker-2'), { liveness: livenessOf({}), stoodBack: gone }),
    ).toEqual({ do: 'cancel', owners: ['worker-1'], stoodBack: gone });
  });

  it('never ran only if every owner reports so', () => {
    const claims = claimsOf('worker-1', 'worker-2');
    const decide = (known: Record<string, Liveness>, ...back: ReturnType<typeof stoodBack>[]) =>
      decideStopped(claims, { liveness: livenessOf(known), stoodBack: back });
    const unknown = { do: 'settle', error: { error_type: 'OutcomeUnknown' } };
    const neverRan = { error_type: 'Cancelled', error_details: { started: false } };
    const [first, second] = [stoodBack('worker-1', false), stoodBack('worker-2', false)];
    expect(decide({}, first, second)).toMatchObject({ do: 'settle', error: neverRan });
    expect(decide({}, first, stoodBack('worker-2', true))).toMatchObject(unknown);
    expect(decide({ 'worker-1': 'dead' }, second)).toMatchObject(unknown);
    expect(decide({ 'worker-1': 'dead', 'worker-2': 'dead' })).toMatchObject(unknown);
  });
});
