import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Conversation } from '#contracts';
import { markDeleted, removeDeleted, TOMBSTONE_MS } from './delete-conversation.js';
import {
  answerRow,
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from './testing/test-ports.js';

const DAY_MS = 24 * 3_600_000;
let ports: TestPorts;

/** Turn 1 runs a call, turn 2 waits in line. */
beforeEach(async () => {
  ports = await openPorts('orchestrator-1');
  const { store } = ports;
  const at = new Date().toISOString();
  await store.insertConversation({
    _id: CONVERSATION_ID,
    user_id: 'user_1',
    title: 'Private matters',
    policy: 'enqueue',
    created_at: at,
    updated_at: at,
  });
  for (const number of [1, 2]) await store.insertTurn(turnRow(number));
  await store.claim(claimRow(TURN_ID, 'orchestrator-9'));
  await store.commitStep(stepRow(1, { calls: [callRow(1), callRow(2)] }));
  await store.claim(claimRow(callId(1), 'worker-1'));
});

const read = async (): Promise<Conversation> => (await ports.store.getConversation(CONVERSATION_ID))!;
const look = async (now = Date.now()) => removeDeleted(ports, await read(), now);
const place = { turn_id: TURN_ID, conversation_id: CONVERSATION_ID };

/** Everything has ended and was removed. */
async function remove(): Promise<void> {
  await markDeleted(ports, CONVERSATION_ID);
  await look();
  await ports.store.settle(outcomeRow(1));
  await look();
}

describe('deleting a conversation', () => {
  it('sets one mark, and notifies viewers through its newest turn', async () => {
    await markDeleted(ports, CONVERSATION_ID);
    const { deleted_at, due_at } = await read();
    expect(Date.parse(deleted_at!)).toBe(due_at);
    expect(ports.recorded.events).toEqual([
      expect.objectContaining({ type: 'cancelled', turn_id: 'turn_2', deleted: true }),
    ]);
  });

  it('stops its turns and waits for a call that may be running, with everything of that turn', async () => {
    await markDeleted(ports, CONVERSATION_ID);
    await look();
    const journal = await ports.store.readJournal(TURN_ID);
    expect(journal?.steps.map(({ kind }) => kind)).toEqual(['model', 'cancel']);
    expect(journal?.outcomes).toEqual([
      expect.objectContaining({
        _id: callId(2),
        error: expect.objectContaining({ error_type: 'Cancelled' }),
      }),
    ]);
    expect(ports.recorded.bodies('tool.cancel').map(([to]) => to)).toContain('worker.1');
    expect(await ports.store.getTurn('turn_2')).toBeNull();
    expect((await read()).due_at).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it('removes the bindings of dialects for it, including late ones', async () => {
    const bind = (name: string, conversation_id: string) => {
      const about = { user_id: 'user_1', dialect: 'd', key: name, value: '1', at: new Date().toISOString() };
      return ports.store.putBinding({ _id: name, ...about, conversation_id });
    };
    await bind('mine', CONVERSATION_ID);
    await bind('other', 'conv_other');
    const kept = async () => (await ports.store.listBindings('user_1', 'd')).map(({ key }) => key).sort();
    await markDeleted(ports, CONVERSATION_ID);
    await look();
    expect(await kept()).toEqual(['mine', 'other']);
    await ports.store.settle(outcomeRow(1));
    await look();
    expect(await kept()).toEqual(['other']);
    await bind('late', CONVERSATION_ID);
    await look(Date.now() + 60_000);
    expect(await kept()).toEqual(['other']);
  });

  it('settles a call of a dead worker without waiting for it', async () => {
    ports.dead.add('worker-1');
    await markDeleted(ports, CONVERSATION_ID);
    await look();
    expect(await ports.store.getTurn(TURN_ID)).toBeNull();
  });

  it('removes all content once every call has ended, and keeps rows that block late messages', async () => {
    await markDeleted(ports, CONVERSATION_ID);
    await look();
    await ports.store.settle(outcomeRow(1));
    await ports.store.answer(answerRow(1, { decision: 'approve' }));
    await look();
    const { store } = ports;
    expect(await store.listTurns(CONVERSATION_ID, { limit: 10 })).toEqual([]);
    expect(await store.getOutcome(callId(1))).toBeNull();
    expect(await store.getOutcome(callId(2))).toBeNull();
    expect((await store.answer(answerRow(1, { decision: 'deny' }))).won).toBe(true);
    expect(await read()).toMatchObject({ title: '', deleted_at: expect.any(String) });
    const steps = await store.listSteps(CONVERSATION_ID, { after: 0, before: 9 });
    expect(steps.flatMap(({ kind, blocks, calls }) => [kind, blocks, calls])).toEqual([
      ...['cancel', [], [], 'cancel', [], [], 'cancel', [], []],
    ]);
    expect((await store.commitStep(stepRow(2))).won).toBe(false);
    expect((await store.claim(claimRow(callId(2), 'worker-2'))).row).not.toHaveProperty('decides');
  });

  it('removes rows that arrive late, at growing intervals', async () => {
    const before = Date.now();
    await remove();
    const { store } = ports;
    await store.settle(outcomeRow(1));
    await store.commitStep({ ...stepRow(7), blocks: [{ type: 'text', text: 'late' }] });
    await store.insertTurn({ ...turnRow(3), due_at: null, status: 'completed' });
    const due = (await read()).due_at!;
    expect(due).toBeGreaterThan(before + 30_000);
    expect(due - Date.now()).toBeLessThanOrEqual(61_000);
    await look(due);
    expect(await store.getOutcome(callId(1))).toBeNull();
    expect((await store.getStep(TURN_ID, 7))?.blocks).toEqual([]);
    expect(await store.getTurn('turn_3')).toBeNull();
    await look(Date.now() + 10 * DAY_MS);
    expect((await read()).due_at).toBeGreaterThan(before + 19 * DAY_MS);
  });

  it('is looked at again at once when a turn was added while one look ended', async () => {
    await markDeleted(ports, CONVERSATION_ID);
    await look();
    await ports.store.settle(outcomeRow(1));
    const { store } = ports;
    let added = 0;
    const racing = Object.create(store, {
      listSteps: {
        value: async (...range: Parameters<typeof store.listSteps>) => {
          const steps = await store.listSteps(...range);
          if (added++ === 0) {
            await store.insertTurn({ ...turnRow(3), due_at: null, status: 'completed' });
            await store.updateConversation(CONVERSATION_ID, { due_at: Date.now() });
          }
          return steps;
        },
      },
    }) as typeof store;
    await removeDeleted({ ...ports, store: racing }, await read(), Date.now());
    expect(added).toBeGreaterThan(0);
    expect(await store.getTurn('turn_3')).not.toBeNull();
    expect((await store.listDueConversations(Date.now(), 10)).map(({ _id }) => _id)).toEqual([
      CONVERSATION_ID,
    ]);
  });

  it('removes the rest after thirty days', async () => {
    await remove();
    const endsAt = Date.parse((await read()).deleted_at!) + TOMBSTONE_MS;
    await look(endsAt - 1);
    expect(await ports.store.listClaims(callId(1))).toHaveLength(1);
    expect((await read()).due_at).toBe(endsAt);
    await look(endsAt);
    expect(await ports.store.listClaims(callId(1))).toEqual([]);
    expect(await ports.store.listSteps(CONVERSATION_ID, { after: 0, before: 9 })).toEqual([]);
    expect(await read()).toBeNull();
  });

  it.each(['removeTurns', 'commitStep', 'settle'] as const)(
    'is completed by the next attempt when one breaks off at %s',
    async (method) => {
      ports.dead.add('worker-1');
      await markDeleted(ports, CONVERSATION_ID);
      const { store } = ports;
      const broken = new Proxy(store, {
        get: (target, name) =>
          name === method
            ? () => Promise.reject(new Error('killed'))
            : (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target),
      });
      await expect(removeDeleted({ ...ports, store: broken }, await read(), Date.now())).rejects.toThrow();
      const [due] = await store.listDueConversations(Date.now() + 5_000, 10);
      expect(due?._id).toBe(CONVERSATION_ID);
      await look();
      expect(await store.listTurns(CONVERSATION_ID, { limit: 10 })).toEqual([]);
    },
  );

  it('checks a long conversation for late rows part by part, at short and then at long intervals', async () => {
    await remove();
    const { store } = ports;
    const lateTurn = 'turn_6000';
    for (let number = 3; number <= 6_000; number++) {
      const turn_id = `turn_${number}`;
      await store.commitStep({ ...stepRow(1), _id: `${turn_id}:1`, turn_id, turn_number: number });
    }
    await store.settle({ ...outcomeRow(1), turn_id: lateTurn });
    await look();
    expect((await read()).late_after).toBeGreaterThan(3_000);
    expect((await read()).due_at! - Date.now()).toBeLessThanOrEqual(5_000);
    expect(await store.listOutcomes([lateTurn])).toHaveLength(1);
    const before = Date.now();
    await look();
    expect(await store.listOutcomes([lateTurn])).toEqual([]);
    expect((await read()).late_after).toBe(0);
    expect((await read()).due_at).toBeGreaterThan(before + 30_000);
  });

  it('processes a bounded part of a long conversation per attempt', async () => {
    const { store } = ports;
    for (let number = 3; number <= 650; number++) {
      await store.insertTurn({ ...turnRow(number), status: 'completed', due_at: null });
      const step = { ...stepRow(1), _id: `turn_${number}:1`, turn_id: `turn_${number}` };
      await store.commitStep({ ...step, turn_number: number });
    }
    await remove();
    const left = await store.listTurns(CONVERSATION_ID, { limit: 1_000 });
    expect(left.length).toBeLessThan(650);
    await look();
    await look();
    expect(await store.listTurns(CONVERSATION_ID, { limit: 1_000 })).toEqual([]);
    expect((await store.settle({ ...outcomeRow(1), ...place })).won).toBe(true);
  });
});
