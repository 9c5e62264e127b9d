import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventSchema, type Step } from '#contracts';
import { endTurn } from './end-turn.js';
import {
  callRow,
  CONVERSATION_ID,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from './testing/test-ports.js';

let ports: TestPorts;

beforeEach(async () => {
  ports = await openPorts('orchestrator-1');
  for (const number of [1, 2, 3]) await ports.store.insertTurn(turnRow(number));
});

async function end(...steps: Step[]) {
  for (const step of steps) await ports.store.commitStep(step);
  const journal = (await ports.store.readJournal(TURN_ID))!;
  await endTurn(ports, journal, journal.steps.at(-1)!);
  return ports.store.getTurn(TURN_ID);
}

const hinted = () => ports.recorded.bodies('turn.advance').map(([to, { turn_id }]) => [to, turn_id]);

describe('endTurn', () => {
  it('announces the answer and its cost, sets the caches, hints the next queued turn', async () => {
    await ports.store.settle(outcomeRow(1));
    const blocks = [{ type: 'text' as const, text: 'Five.' }];
    const turn = await end(stepRow(1, { calls: [callRow(1)] }), stepRow(2, { blocks }));
    expect(turn).toMatchObject({ status: 'completed', due_at: null });
    const usage = { input_tokens: 20, output_tokens: 10, cached_tokens: 0 };
    expect(ports.recorded.events).toMatchObject([
      {
        type: 'complete',
        message_id: `${TURN_ID}:2`,
        content: 'Five.',
        usage,
        conversation_id: CONVERSATION_ID,
      },
    ]);
    expect(eventSchema.parse(ports.recorded.events[0])).toEqual(ports.recorded.events[0]);
    expect(hinted()).toEqual([['turns', 'turn_2']]);
  });

  it('leaves a stopped turn due while a call of it has no outcome', async () => {
    const turn = await end(stepRow(1, { calls: [callRow(1)] }), stepRow(2, { kind: 'cancel' }));
    expect(turn?.status).toBe('cancelled');
    expect(turn?.due_at).toBe(turnRow().due_at);
    expect(ports.recorded.events).toMatchObject([{ type: 'cancelled' }]);
  });

  it('leaves a turn due when its end could not be cached, so that the sweeper does it', async () => {
    await ports.store.commitStep(stepRow(1));
    const journal = (await ports.store.readJournal(TURN_ID))!;
    const setTurnStatus = () => Promise.reject(new Error('killed before it was written'));
    const store = new Proxy(ports.store, {
      get: (target, name) =>
        name === 'setTurnStatus' ? setTurnStatus : Reflect.get(target, name).bind(target),
    });
    await expect(endTurn({ ...ports, store }, journal, journal.steps[0]!)).rejects.toThrow('killed');
    await new Promise(setImmediate);
    expect((await ports.store.getTurn(TURN_ID))?.due_at).toBe(turnRow().due_at);
  });

  it('announces why a turn failed', async () => {
    const error = { code: 'refused' as const, message: 'The model declined.' };
    expect(await end(stepRow(1, { kind: 'fail', error }))).toMatchObject({ status: 'failed', due_at: null });
    expect(ports.recorded.events).toMatchObject([{ type: 'error', ...error }]);
  });

  it('may be repeated by any process', async () => {
    const first = await end(stepRow(1));
    expect(await end()).toEqual(first);
    expect(ports.recorded.events[0]).toEqual(ports.recorded.events[1]);
  });

  it('hints nothing when no turn is queued', async () => {
    for (const id of ['turn_2', 'turn_3']) await ports.store.setTurnStatus(id, 'cancelled');
    await end(stepRow(1));
    expect(hinted()).toEqual([]);
  });
});
