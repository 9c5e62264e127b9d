import { describe, expect, it } from '@jest/globals';
import type { Journal } from '#contracts';
import { livenessOf, situationOf } from './owner-liveness.js';
import {
  callId,
  callRow,
  claimRow,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
} from './testing/test-ports.js';

const journal: Journal = {
  turn: turnRow(),
  steps: [stepRow(1, { calls: [1, 2, 3, 4].map((number) => callRow(number)) })],
  claims: [
    claimRow(TURN_ID, 'orchestrator-2'),
    claimRow(callId(1), 'worker-1'),
    claimRow(callId(1), 'worker-5', 2),
    claimRow(callId(2), 'worker-2'),
    claimRow(callId(3), 'gateway-1'),
    { ...claimRow(callId(4), 'worker-4'), purpose: 'settle', decides: outcomeRow(4) },
  ],
  outcomes: [outcomeRow(2)],
  answers: [],
};

describe('livenessOf', () => {
  it('asks once about each owner of an open call, never about itself, and knows no other dead process', async () => {
    const ports = await openPorts('gateway-1');
    const asked: string[] = [];
    ports.peers.isDead = async (processId) => asked.push(processId) > 0;
    const liveness = await livenessOf(ports, journal);
    expect(asked).toEqual(['worker-1', 'worker-5']);
    const known = ['worker-1', 'worker-2', 'gateway-1', 'orchestrator-2'].map(liveness);
    expect(known).toEqual(['dead', 'alive', 'alive', 'alive']);
  });
});

describe('situationOf', () => {
  it('is that of a stopped turn only after a cancel or fail row', async () => {
    const ports = await openPorts('gateway-1');
    const isStopped = async (kind: 'model' | 'cancel' | 'fail') => {
      const steps = [...journal.steps, stepRow(2, { kind })];
      return (await situationOf(ports, { ...journal, steps })).stopped;
    };
    expect(await isStopped('model')).toBe(false);
    expect(await isStopped('cancel')).toBe(true);
    expect(await isStopped('fail')).toBe(true);
    expect((await situationOf(ports, journal)).stopped).toBe(false);
  });
});
