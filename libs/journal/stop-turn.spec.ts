import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Claim, Step } from '#contracts';
import { stopTurn, type AskDriver } from './stop-turn.js';
import {
  callId,
  callRow,
  claimRow,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from './testing/test-ports.js';

const DRIVER = 'orchestrator-1';
const neverAsked: AskDriver = () => {
  throw new Error('nobody drives this turn');
};
const silent: AskDriver = async () => false;
let ports: TestPorts;

beforeEach(async () => {
  ports = await openPorts('gateway-1');
  await ports.store.insertTurn(turnRow());
});

async function drive(steps: Step[] = [], claims: Claim[] = []): Promise<void> {
  for (const claim of [claimRow(TURN_ID, DRIVER), ...claims]) await ports.store.claim(claim);
  for (const step of steps) await ports.store.commitStep(step);
}

const stop = (ask: AskDriver = silent) => stopTurn(ports, TURN_ID, ask);
const read = async () => (await ports.store.readJournal(TURN_ID))!;
const eventTypes = () => ports.recorded.events.map(({ type }) => type);
const told = () => ports.recorded.bodies('tool.cancel').map(([to, body]) => [to, body.tool_call_id]);

describe('stopping a turn', () => {
  it('reports a turn that does not exist', async () => {
    expect(await stopTurn(ports, 'turn_9', neverAsked)).toBeNull();
  });

  it('needs no driver and no claim for a queued turn', async () => {
    await ports.store.insertTurn(turnRow(2));
    expect(await stop(neverAsked)).toEqual({ mayBeRunning: [] });
    const { steps, claims, turn } = await read();
    expect(steps).toMatchObject([{ n: 1, kind: 'cancel', attempt: 0, blocks: [] }]);
    expect(claims).toEqual([]);
    expect(turn).toMatchObject({ status: 'cancelled', due_at: null });
    expect(eventTypes()).toEqual(['cancelled']);
    expect(ports.recorded.bodies('turn.advance')).toContainEqual([
      'turns',
      { turn_id: 'turn_2', conversation_id: turn.conversation_id },
    ]);
  });

  it('leaves the row to a driver that answers, with the text so far', async () => {
    await drive();
    const blocks = [{ type: 'text' as const, text: 'Half of' }];
    const asked: string[] = [];
    await stop(async (turnId, driver) => {
      asked.push(turnId, driver);
      await ports.store.commitStep(stepRow(1, { kind: 'cancel', blocks }));
      return true;
    });
    expect(asked).toEqual([TURN_ID, DRIVER]);
    expect((await read()).steps).toMatchObject([{ kind: 'cancel', blocks }]);
    // Who inserted the row tells of it.
    expect(eventTypes()).toEqual([]);
  });

  it('asks the driver of the highest claim', async () => {
    await drive([], [claimRow(TURN_ID, 'orchestrator-2', 2)]);
    const asked: string[] = [];
    await stop(async (_turnId, driver) => asked.push(driver) > 1);
    expect(asked).toEqual(['orchestrator-2']);
  });

  it('inserts the row itself when the driver is silent or falsely reports success', async () => {
    for (const answer of [false, true]) {
      ports = await openPorts('gateway-1');
      await ports.store.insertTurn(turnRow());
      await drive([stepRow(1, { calls: [callRow(1)] })], [claimRow(callId(1), 'worker-1')]);
      await stop(async () => answer);
      expect((await read()).steps.at(-1)).toMatchObject({ n: 2, kind: 'cancel' });
      expect(eventTypes()).toEqual(['cancelled']);
      expect(ports.recorded.bodies('turn.advance')[0]?.[0]).toBe('orchestrator.1');
    }
  });

  it('takes the next number when the model’s step was faster, and stops the calls of that step', async () => {
    await drive();
    await stop(async () => {
      await ports.store.commitStep(stepRow(1, { calls: [callRow(1)] }));
      return false;
    });
    const { steps, outcomes } = await read();
    expect(steps.map(({ kind }) => kind)).toEqual(['model', 'cancel']);
    expect(outcomes).toMatchObject([
      { _id: callId(1), error: { error_type: 'Cancelled', error_details: { started: false } } },
    ]);
    expect(eventTypes().sort()).toEqual(['cancelled', 'tool_error']);
  });

  it('has nothing to stop when the faster step ended the turn', async () => {
    await drive();
    const answer = await stop(async () => {
      await ports.store.commitStep(stepRow(1));
      return false;
    });
    expect(answer).toEqual({ mayBeRunning: [] });
    expect((await read()).steps.map(({ kind }) => kind)).toEqual(['model']);
    expect(eventTypes()).toEqual([]);
  });
});

describe('the calls of a stopped turn', () => {
  const calls = [1, 2, 3, 4, 5].map((number) => callRow(number, { class: number === 2 ? 'read' : 'once' }));
  const decides = outcomeRow(5, { status: 'failure', data: null, attempt: 0 });

  /** 1 ended, 2 runs, 3 was lost with its worker, 4 was never claimed, 5 is being given up by somebody. */
  async function driveFive(): Promise<void> {
    await drive(
      [stepRow(1, { calls })],
      [
        claimRow(callId(1), 'worker-1'),
        claimRow(callId(2), 'worker-1'),
        claimRow(callId(3), 'worker-2'),
        { ...claimRow(callId(5), 'orchestrator-2'), purpose: 'settle', decides },
      ],
    );
    await ports.store.settle(outcomeRow(1));
    ports.dead.add('worker-2');
  }

  it('end at once unless they may be running, and exactly those are named', async () => {
    await driveFive();
    expect(await stop()).toEqual({ mayBeRunning: [callId(2)] });
    expect(told()).toEqual([['worker.1', callId(2)]]);
    const { outcomes, claims } = await read();
    const typeOf = (number: number) => outcomes.find(({ _id }) => _id === callId(number))?.error?.error_type;
    expect([2, 3, 4].map(typeOf)).toEqual([undefined, 'OutcomeUnknown', 'Cancelled']);
    expect(outcomes.find(({ _id }) => _id === callId(5))).toEqual(decides);
    expect(claims.find(({ _id }) => _id === `${callId(4)}:1`)).toMatchObject({ purpose: 'settle' });
  });

  it('are named and notified again by another Stop', async () => {
    await driveFive();
    await stop();
    const events = eventTypes();
    expect(await stop(neverAsked)).toEqual({ mayBeRunning: [callId(2)] });
    expect(told()).toHaveLength(2);
    expect(eventTypes()).toEqual(events);
    await ports.store.settle(outcomeRow(2));
    expect(await stop(neverAsked)).toEqual({ mayBeRunning: [] });
  });

  it('may be claimed by a worker until the last moment, and are named then', async () => {
    await drive([stepRow(1, { calls: [callRow(1)] })]);
    const { store } = ports;
    const claim = store.claim.bind(store);
    store.claim = async (row) => {
      if (row.purpose === 'settle') await claim(claimRow(callId(1), 'worker-1'));
      return claim(row);
    };
    expect(await stop()).toEqual({ mayBeRunning: [callId(1)] });
    expect(told()).toEqual([['worker.1', callId(1)]]);
    expect((await read()).outcomes).toEqual([]);
  });

  it('of a completed turn have all ended', async () => {
    await drive([stepRow(1, { calls: [callRow(1)] }), stepRow(2)], [claimRow(callId(1), 'worker-1')]);
    await ports.store.settle(outcomeRow(1));
    expect(await stop(neverAsked)).toEqual({ mayBeRunning: [] });
  });
});
