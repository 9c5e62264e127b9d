import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Claim, Step, Turn } from '#contracts';
import { createStore, type Store } from '#store';
import { SystemClock } from '#time';
import { newConversation } from '../turns/conversations.js';
import { newTurn } from '../turns/new-turn.js';
import { createViewReader } from './read-view.js';

const clock = new SystemClock();
const CONVERSATION = newConversation(clock, 'conv_1', 'ann');
const AT = '2026-03-01T10:00:00.000Z';
const LONG = '€'.repeat(65_536);
const MIB = 1024 * 1024;

let store: Store;
/** Turns of each read. */
let reads: number[];
/** Whose driver was asked for its text. */
let asked: string[];
beforeEach(async () => {
  [reads, asked] = [[], []];
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  await store.insertConversation(CONVERSATION);
  const { readJournals } = store;
  store.readJournals = (id, turns) => {
    reads.push(turns.length);
    return readJournals.call(store, id, turns);
  };
});
afterEach(() => store.close());

async function addTurn(number: number, fields: Partial<Turn> = {}): Promise<Turn> {
  const ids = { conversationId: CONVERSATION._id, turnId: `turn_${number}`, userId: 'ann' };
  const turn = newTurn(clock, { ...ids, client_message_id: `m${number}`, content: 'Hi' });
  Object.assign(turn, { number, status: 'completed', ...fields });
  await store.insertTurn(turn);
  if (turn.status === 'completed') await answer(turn, [{ type: 'text', text: 'Hello' }]);
  return turn;
}

async function answer(turn: Turn, blocks: Step['blocks']): Promise<void> {
  const place = { turn_id: turn._id, conversation_id: turn.conversation_id, turn_number: turn.number };
  const said = { kind: 'model' as const, blocks, calls: [], stop_reason: 'end_turn' as const, usage: null };
  await store.commitStep({ _id: `${turn._id}:1`, ...place, n: 1, attempt: 100, ...said, at: AT });
}

async function claim({ _id, conversation_id }: Turn): Promise<void> {
  const owner = 'orchestrator-00000000-0000-4000-8000-000000000001';
  const row: Claim = { _id: `${_id}:1`, turn_id: _id, conversation_id, owner, n: 1, purpose: 'run', at: AT };
  await store.claim(row);
}

async function read() {
  const readView = createViewReader(store, (turnId) => {
    asked.push(turnId);
    return Promise.resolve({ turn_id: turnId, step: 1, attempt: 100, text: 'so far' });
  });
  const view = (await readView(CONVERSATION._id, undefined))!;
  expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThanOrEqual(MIB);
  return { ...view, numbers: view.turns.map(({ number }) => number) };
}

describe('the view that a snapshot shows', () => {
  it('contains the newest 20 turns, read at once when they are small', async () => {
    for (let number = 1; number <= 22; number++) await addTurn(number);
    const { numbers, earlier } = await read();
    expect([numbers, earlier]).toEqual([Array.from({ length: 20 }, (_, i) => i + 3), true]);
    expect(reads).toEqual([20]);
  });

  it('contains as many turns as fit into 1 MiB, and little more is read', async () => {
    for (let number = 1; number <= 22; number++) await addTurn(number, { content: LONG });
    const { numbers, earlier } = await read();
    expect([numbers, earlier]).toEqual([[18, 19, 20, 21, 22], true]);
    expect(reads).toEqual([5, 1]);
  });

  it('shows small views of large journals, which are read one after the other', async () => {
    for (let number = 1; number <= 4; number++) {
      const turn = await addTurn(number, { status: 'running' });
      await store.setTurnStatus(turn._id, 'completed');
      const thinking = { type: 'thinking' as const, text: LONG.repeat(4) };
      const text = { type: 'text' as const, text: 'so' };
      await answer(turn, [thinking, text]);
    }
    const { numbers, earlier } = await read();
    expect([numbers, earlier]).toEqual([[1, 2, 3, 4], false]);
    expect(reads).toEqual([1, 1, 1, 1]);
  });

  it('contains unended turns besides the newest ones, with the text so far', async () => {
    for (let number = 1; number <= 23; number++)
      await addTurn(number, number === 2 || number === 22 ? { status: 'running' } : {});
    for (const id of ['turn_2', 'turn_22']) await claim((await store.getTurn(id))!);
    const { turns, numbers, earlier } = await read();
    expect([numbers, earlier]).toEqual([[2, ...Array.from({ length: 20 }, (_, i) => i + 4)], true]);
    expect(asked.sort()).toEqual(['turn_2', 'turn_22']);
    expect(turns[0]!.steps).toEqual([{ n: 1, attempt: 100, text: 'so far', calls: [] }]);
    expect(turns.at(-2)!.steps).toEqual(turns[0]!.steps);
  });

  it('contains the first of many long unended turns', async () => {
    for (let number = 1; number <= 40; number++) await addTurn(number, { status: 'queued', content: LONG });
    const { numbers, earlier } = await read();
    expect([numbers, earlier]).toEqual([[1, 2, 3, 4, 5], true]);
    expect(reads.reduce((sum, count) => sum + count)).toBeLessThan(12);
  });
});
