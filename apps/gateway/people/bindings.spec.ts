import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createStore, type Store } from '#store';
import { SystemClock } from '#time';
import { Bindings } from './bindings.js';

const schema = z.object({ server: z.string() });
const clock = new SystemClock();
let store: Store;
beforeAll(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});
afterAll(() => store.close());

describe('Bindings', () => {
  it('keep the last value per user, dialect and key', async () => {
    const bindings = new Bindings(store, 'one', schema, { clock });
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
    expect(await new Bindings(store, 'two', schema, { clock }).get('ann', 'a')).toBeUndefined();
    expect(await new Bindings(store, 'one', schema, { clock }).get('ann', 'a')).toEqual({ server: 'last' });
  });

  it('ignore stored values of another shape', async () => {
    await new Bindings(store, 'one', z.number(), { clock }).put('ann', 'old', 5);
    const bindings = new Bindings(store, 'one', schema, { clock });
    expect(await bindings.get('ann', 'old')).toBeUndefined();
    expect(await bindings.insert('ann', 'old', { server: 'new' })).toEqual({ server: 'new' });
    expect(await bindings.get('ann', 'old')).toEqual({ server: 'new' });
    await new Bindings(store, 'one', z.number(), { clock }).put('ann', 'old', 5);
    const row = { user_id: 'ann', dialect: 'one', key: 'old', at: '2026-01-01T00:00:00.000Z' };
    const getBinding = () => Promise.resolve({ _id: 'x', ...row, value: '{' });
    const broken = Object.assign(Object.create(store) as Store, { getBinding });
    expect(await new Bindings(broken, 'one', schema, { clock }).get('ann', 'old')).toBeUndefined();
  });

  it('keep the value that was inserted first', async () => {
    const bindings = new Bindings(store, 'firsts', schema, { clock });
    expect(await bindings.insert('ann', 'a', { server: 'first' })).toEqual({ server: 'first' });
    expect(await bindings.insert('ann', 'a', { server: 'second' })).toEqual({ server: 'first' });
    expect(await bindings.get('ann', 'a')).toEqual({ server: 'first' });
  });

  it('are removed when unused for the configured time, and others stay', async () => {
    const day = 24 * 3_600_000;
    let now = Date.UTC(2026, 0, 1);
    const kept = new Bindings(store, 'kept', schema, { keptMs: 10 * day, clock: { wall: () => now } });
    for (const key of ['used', 'idle']) await kept.put('ann', key, { server: key });
    await new Bindings(store, 'forever', schema, { clock: { wall: () => now } }).put('ann', 'a', {
      server: 'a',
    });
    const removed = () => store.removeExpiredBindings(new Date(now).toISOString(), 10);
    now += 9 * day;
    expect(await kept.get('ann', 'used')).toEqual({ server: 'used' });
    now += 2 * day;
    expect(await removed()).toBe(1);
    expect([await kept.get('ann', 'used'), await kept.get('ann', 'idle')]).toEqual([
      { server: 'used' },
      undefined,
    ]);
    now += 100 * day;
    expect(await removed()).toBe(1);
    expect(await new Bindings(store, 'forever', schema, { clock }).get('ann', 'a')).toEqual({ server: 'a' });
  });
});
