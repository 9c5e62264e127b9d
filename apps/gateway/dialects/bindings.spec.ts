import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createStore, type Store } from '#store';
import { Bindings } from './bindings.js';

const schema = z.object({ server: z.string() });
let store: Store;
beforeAll(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});
afterAll(() => store.close());

describe('Bindings', () => {
  it('keep the last value of a user, a dialect and a key, each apart from the others', async () => {
    const bindings = new Bindings(store, 'one', schema);
    const places = [
      ['ann', 'a'],
      ['ann', 'b'],
      ['bob', 'a'],
      ['ann"', ',"a'],
    ] as const;
    for (const [user, key] of places) await bindings.put(user, key, { server: `${user} ${key}` });
    await bindings.put('ann', 'a', { server: 'last' });
    const read = await Promise.all(places.map(([user, key]) => bindings.get(user, key)));
    expect(read.map((value) => value?.server)).toEqual(['last', 'ann b', 'bob a', 'ann" ,"a']);
    expect(await new Bindings(store, 'two', schema).get('ann', 'a')).toBeUndefined();
    expect(await new Bindings(store, 'one', schema).get('ann', 'a')).toEqual({ server: 'last' });
  });

  it('take what is stored in another form for nothing', async () => {
    await new Bindings(store, 'one', z.number()).put('ann', 'old', 5);
    expect(await new Bindings(store, 'one', schema).get('ann', 'old')).toBeUndefined();
    const row = { user_id: 'ann', dialect: 'one', key: 'old', at: '2026-01-01T00:00:00.000Z' };
    const broken = {
      getBinding: () => Promise.resolve({ _id: 'x', ...row, value: '{' }),
      putBinding: () => Promise.resolve(),
    };
    expect(await new Bindings(broken, 'one', schema).get('ann', 'old')).toBeUndefined();
  });
});
