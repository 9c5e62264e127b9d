import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { SystemClock } from '#time';
import { importHistory } from './import-history.js';
import { TurnReader } from './turn-reader.js';
import { Ownership } from './ownership.js';
import { listMessages, type MessagesPage } from './messages.js';
import { newConversation } from './conversations.js';

const LONG = '€'.repeat(65_536);
const ANN = { id: 'ann', isOperator: false, roles: [] };
const clock = new SystemClock();
let store: Store;
/** Turns of each read. */
const reads: number[] = [];

beforeAll(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  await store.insertConversation(newConversation(clock, 'conv_1', 'ann'));
  const small = Array.from({ length: 20 }, (_, i) => ({ user: `m${i + 1}`, assistant: `a${i + 1}` }));
  const large = Array.from({ length: 12 }, () => ({ user: LONG, assistant: LONG }));
  await importHistory({ store, clock }, { conversationId: 'conv_1', userId: 'ann' }, [...small, ...large]);
  const { listTurns } = store;
  store.listTurns = async (id, page) => {
    const turns = await listTurns.call(store, id, page);
    reads.push(turns.length);
    return turns;
  };
});
afterAll(() => store.close());

const page = (more: Partial<MessagesPage>) => ({ after: 0, skip: 0, limit: 100, withTools: false, ...more });

describe('messages of a conversation', () => {
  it('are read in portions of 256 KiB, or one large turn at a time, as they are consumed', async () => {
    reads.length = 0;
    const messages = listMessages({ store, clock }, 'conv_1', page({}));
    const contents: string[] = [];
    for await (const { content } of messages) contents.push(content);
    expect(contents.slice(0, 3)).toEqual(['m1', 'a1', 'm2']);
    expect(contents).toHaveLength(64);
    expect(reads).toEqual([20, ...Array(12).fill(1), 0]);
    reads.length = 0;
    const left = listMessages({ store, clock }, 'conv_1', page({ after: 21 }));
    await left.next();
    await left.return(undefined);
    expect(reads).toEqual([1]);
  });

  it('begin and end at the limits of the page', async () => {
    const list = async (more: Partial<MessagesPage>) => {
      const contents: string[] = [];
      for await (const { content } of listMessages({ store, clock }, 'conv_1', page(more)))
        contents.push(content);
      return contents;
    };
    expect(await list({ skip: 9, limit: 3 })).toEqual(['a5', 'm6', 'a6']);
    expect(await list({ after: 4, skip: 1, limit: 2 })).toEqual(['a5', 'm6']);
    expect(await list({ after: 32 })).toEqual([]);
  });
});

describe('a page of turns', () => {
  const read = (before: number, limit = 100) =>
    new TurnReader(store, new Ownership(store), clock).page(ANN, 'conv_1', { before, limit });
  const numbers = async (before: number, limit?: number) => {
    const { turns, earlier } = await read(before, limit);
    return [turns.map(({ number }) => number), earlier];
  };

  it('ends before it exceeds 1 MiB, and reports that there is more', async () => {
    reads.length = 0;
    const { turns, earlier } = await read(999);
    expect([turns.map(({ number }) => number), earlier]).toEqual([[31, 32], true]);
    expect(Buffer.byteLength(JSON.stringify(turns))).toBeLessThan(1024 * 1024);
    // An imported turn keeps its answer twice.
    expect(reads).toEqual([1, 1, 1]);
  });

  it('has at least one turn, and leads to the oldest one', async () => {
    expect(await numbers(33, 1)).toEqual([[32], true]);
    expect(await numbers(21, 20)).toEqual([Array.from({ length: 20 }, (_, i) => i + 1), false]);
    expect(await numbers(21, 5)).toEqual([[16, 17, 18, 19, 20], true]);
    expect(await numbers(1)).toEqual([[], false]);
  });
});
