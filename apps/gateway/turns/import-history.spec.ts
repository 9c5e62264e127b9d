import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Turn } from '#contracts';
import { createStore, type Store } from '#store';
import { SystemClock } from '#time';
import { turnViewOf } from '#turn';
import { foldHistory } from './fold-history.js';
import { countRowsToImport, importHistory } from './import-history.js';

describe('foldHistory', () => {
  const fold = (...said: string[]) =>
    foldHistory(said.map((line) => ({ role: line[0] === 'u' ? 'user' : 'assistant', text: line.slice(1) })));

  it('pairs each message with its answer', () => {
    expect(fold('uOne?', 'a1', 'uTwo?', 'a2')).toEqual([
      { user: 'One?', assistant: '1' },
      { user: 'Two?', assistant: '2' },
    ]);
  });

  it('joins consecutive messages of one side, across blank messages', () => {
    expect(fold('uA', 'u ', 'uB', 'ac', 'a', 'ad')).toEqual([{ user: 'A\n\nB', assistant: 'c\n\nd' }]);
  });

  it('keeps an answer without a message and a message without an answer', () => {
    expect(fold('aWelcome!', 'uHi')).toEqual([
      { user: '[The assistant spoke first.]', assistant: 'Welcome!' },
      { user: 'Hi', assistant: '' },
    ]);
    expect(fold()).toEqual([]);
  });
});

describe('importHistory', () => {
  const place = { conversationId: 'conv_1', userId: 'ann' };
  const history = [
    { user: 'One?', assistant: 'First.' },
    { user: 'Two?', assistant: '' },
    { user: 'Three?', assistant: 'Third.' },
  ];
  const clock = new SystemClock();
  let store: Store;
  beforeEach(async () => {
    store = createStore({ dataDir: ':memory:' });
    await store.open();
  });
  afterEach(() => store.close());

  const said = async () => {
    const turns = await store.listTurns('conv_1', { limit: 20 });
    const views = (await store.readJournals('conv_1', turns)).map((journal) => turnViewOf(journal));
    return views.map(({ number, content, status, steps }) => [number, content, status, steps[0]?.text]);
  };

  /** The store, with some of it another way. */
  function alter(change: Partial<Store>): Parameters<typeof importHistory>[0]['store'] {
    return {
      listTurns: (id, page) => store.listTurns(id, page),
      insertTurn: (row) => store.insertTurn(row),
      insertTurns: (rows) => store.insertTurns(rows),
      commitSteps: (rows) => store.commitSteps(rows),
      setTurnsDue: (ids, dueAt) => store.setTurnsDue(ids, dueAt),
      ...change,
    };
  }

  function ownTurn(number: number): Turn {
    const at = new Date().toISOString();
    const ids = { _id: `turn_own${number}`, conversation_id: 'conv_1', client_message_id: `own-${number}` };
    const rest = {
      user_id: 'ann',
      content: 'Mine',
      options: {},
      at,
      status: 'queued' as const,
      due_at: null,
    };
    return { ...ids, number, ...rest };
  }

  it('inserts ended turns in order, with none due', async () => {
    await importHistory({ store, clock }, place, history);
    expect(await said()).toEqual([
      [1, 'One?', 'completed', 'First.'],
      [2, 'Two?', 'completed', ''],
      [3, 'Three?', 'completed', 'Third.'],
    ]);
    expect(await store.countUnendedTurns('ann')).toBe(0);
    expect(await store.listDueTurns(Date.now() + 3_600_000, 10)).toEqual([]);
  });

  it('is idempotent when it is repeated, runs several times at once, or follows an interrupted import', async () => {
    const broken = alter({ commitSteps: () => Promise.reject(new Error('gone')) });
    await expect(importHistory({ store: broken, clock }, place, history.slice(0, 2))).rejects.toThrow('gone');
    expect((await store.listDueTurns(Date.now() + 3_600_000, 10)).length).toBeGreaterThan(0);
    await Promise.all([1, 2, 3].map(() => importHistory({ store, clock }, place, history)));
    expect(await said()).toEqual([
      [1, 'One?', 'completed', 'First.'],
      [2, 'Two?', 'completed', ''],
      [3, 'Three?', 'completed', 'Third.'],
    ]);
  });

  it('writes a long history in portions, and yields between them', async () => {
    const long = Array.from({ length: 60 }, (_, i) => ({ user: `${i}?`, assistant: `${i}.` }));
    const heavy = { user: 'x'.repeat(200_000), assistant: 'y'.repeat(100_000) };
    const order: (number | 'others')[] = [];
    const patient = new SystemClock();
    const soon = patient.soon.bind(patient);
    patient.soon = (act) => {
      order.push('others');
      soon(act);
    };
    const watched = alter({
      insertTurns: (rows) => {
        order.push(rows.length);
        return store.insertTurns(rows);
      },
    });
    await importHistory({ store: watched, clock: patient }, place, [...long, heavy, heavy]);
    expect(order).toEqual([25, 25, 10, 1, 1].flatMap((portion) => [portion, 'others']));
    expect((await store.listTurns('conv_1', { limit: 100 })).map(({ number }) => number)).toEqual(
      Array.from({ length: 62 }, (_, i) => i + 1),
    );
  });

  it('is completed by a repetition, wherever it broke off', async () => {
    for (const name of ['insertTurns', 'commitSteps', 'setTurnsDue'] as const) {
      const broken = alter({ [name]: () => Promise.reject(new Error('gone')) });
      await expect(importHistory({ store: broken, clock }, place, history)).rejects.toThrow('gone');
    }
    await importHistory({ store: alter({}), clock }, place, history);
    expect(await said()).toHaveLength(3);
    expect(await store.listDueTurns(Date.now() + 3_600_000, 10)).toEqual([]);
  });

  it('counts the missing rows, and none next to a turn that was not imported', async () => {
    const count = () => countRowsToImport(store, 'conv_1', history);
    expect(await count()).toBe(6);
    await importHistory({ store, clock }, place, history.slice(0, 1));
    expect(await count()).toBe(4);
    await importHistory({ store, clock }, place, history);
    expect(await count()).toBe(0);
    expect(await countRowsToImport(store, 'conv_2', Array(900).fill(history[0]))).toBe(1_000);
    expect(await countRowsToImport(store, 'conv_2', [])).toBe(0);
    await store.insertTurn(ownTurn(4));
    expect(await countRowsToImport(store, 'conv_1', Array(9).fill(history[0]))).toBe(0);
  });

  it('changes nothing in a conversation with a turn that was not imported', async () => {
    await store.insertTurn(ownTurn(1));
    await importHistory({ store, clock }, place, history);
    expect((await store.listTurns('conv_1', { limit: 20 })).map(({ content }) => content)).toEqual(['Mine']);
  });

  it('stops at a turn that was inserted meanwhile and at a different history', async () => {
    await importHistory({ store, clock }, place, history.slice(0, 1));
    await importHistory({ store, clock }, place, [{ user: 'Other?', assistant: 'Other.' }, ...history]);
    expect(await said()).toEqual([[1, 'One?', 'completed', 'First.']]);
    const interrupted = alter({
      insertTurns: async (turns) => {
        await store.insertTurn(ownTurn(2));
        return store.insertTurns(turns);
      },
    });
    await importHistory({ store: interrupted, clock }, place, history);
    expect((await store.listTurns('conv_1', { limit: 20 })).map(({ content }) => content)).toEqual([
      'One?',
      'Mine',
    ]);
  });
});
