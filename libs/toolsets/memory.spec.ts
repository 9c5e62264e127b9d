import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { SystemClock } from '#time';
import { runTool } from '../tools/testing/index.js';
import { createMemoryToolset } from './memory.js';

let store: Store;
beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});
afterEach(() => store.close());

const call = (userId: string, name: string, args: Record<string, unknown>) => {
  const tool = createMemoryToolset(store, new SystemClock())
    .tools()
    .find(({ definition }) => definition.own_name === name)!;
  return runTool(tool, args, { userId });
};
const remember = (userId: string, key: string, text: string) => call(userId, 'remember', { key, text });
const recall = async (userId: string, query?: string) => {
  const { data } = await call(userId, 'recall', query === undefined ? {} : { query });
  return (data!.facts as { key: string; text: string }[]).map(({ text }) => text);
};

describe('memory', () => {
  it('separates the facts of one user from those of every other', async () => {
    await remember('ann', 'cat', 'The cat is called Tom.');
    await remember('bob', 'cat', 'The cat is called Felix.');
    expect([await recall('ann'), await recall('bob', 'cat'), await recall('eve')]).toEqual([
      ['The cat is called Tom.'],
      ['The cat is called Felix.'],
      [],
    ]);
    await call('eve', 'forget', { key: 'cat' });
    await call('bob', 'forget', { key: 'cat' });
    expect([await recall('ann', 'cat'), await recall('bob')]).toEqual([['The cat is called Tom.'], []]);
  });

  it('separates users and keys whose concatenations are equal', async () => {
    await remember('a', 'b","c', 'one');
    await remember('a","b', 'c', 'two');
    expect([await recall('a'), await recall('a","b')]).toEqual([['one'], ['two']]);
  });

  it('finds facts by words in any form, those with most words first', async () => {
    await remember('ann', 'pets', 'Two cats and a dog.');
    await remember('ann', 'car', 'A red car.');
    await remember('ann', 'dog', 'The dog is called Rex.');
    expect(await recall('ann', 'What is my dog called?')).toEqual([
      'The dog is called Rex.',
      'Two cats and a dog.',
    ]);
    expect(await recall('ann', 'cat')).toEqual(['Two cats and a dog.']);
    expect(await recall('ann', 'bicycle')).toEqual([]);
  });

  it('has one fact per key: a repeated call changes nothing, another text replaces it', async () => {
    await remember('ann', 'Cat', 'Tom');
    await remember('ann', 'cat ', 'Tom');
    expect(await store.listFacts('ann')).toHaveLength(1);
    await remember('ann', 'CAT', 'Felix');
    expect(await recall('ann')).toEqual(['Felix']);
  });

  it('keeps 200 facts per user, and refuses the next one', async () => {
    for (let n = 0; n < 200; n++) await remember('ann', `fact ${n}`, 'text');
    expect((await remember('ann', 'one more', 'text')).error).toMatchObject({
      error_type: 'PermissionError',
      error_message: expect.stringContaining('forget one first'),
    });
    expect(await remember('ann', 'fact 7', 'changed')).toMatchObject({ status: 'success' });
    expect(await remember('bob', 'one', 'text')).toMatchObject({ status: 'success' });
    const { data } = await call('ann', 'recall', {});
    expect(data).toMatchObject({ found: 200, remembered: 200 });
    expect(data!.facts).toHaveLength(20);
  });

  it('refuses an empty fact, and a text that is too long', async () => {
    expect((await remember('ann', 'cat', '')).error).toMatchObject({ error_type: 'ValidationError' });
    expect((await remember('ann', 'cat', 'x'.repeat(2001))).error).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'text' },
    });
  });

  it('reports that it is unavailable while the store is, without details', async () => {
    const closed = createMemoryToolset(createStore({ dataDir: ':memory:' }), new SystemClock()).tools();
    for (const tool of closed) {
      const args = { remember: { key: 'a', text: 'b' }, recall: {}, forget: { key: 'a' } };
      const result = await runTool(tool, args[tool.definition.own_name as keyof typeof args]);
      expect(result.error).toMatchObject({ error_type: 'DependencyUnavailable' });
    }
  });
});
