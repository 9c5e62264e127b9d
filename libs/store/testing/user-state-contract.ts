import { describe, expect, it } from '@jest/globals';
import type { Binding, Fact } from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeId } from './sample-rows.js';

export function describeUserState(store: () => Store): void {
  describe('facts', () => {
    it('never keeps more facts of a user than the limit, however many are put at once', async () => {
      const user_id = makeId();
      const fact = (n: number, text = 'text'): Fact => ({
        _id: makeId(),
        user_id,
        key: `fact ${n}`,
        text,
        at: '2026-03-01T10:00:00.000Z',
      });
      const before = [fact(1), fact(2), fact(3)];
      for (const row of before) expect(await store().putFact(row, 4)).toBe('put');
      const more = Array.from({ length: 20 }, (_, n) => fact(n));
      const ends = await Promise.all(more.map((row) => store().putFact(row, 4)));
      const kept = await store().listFacts(user_id);
      expect(kept.length).toBeLessThanOrEqual(4);
      expect(kept).toHaveLength(3 + ends.filter((end) => end === 'put').length);
      if (kept.length < 4) expect(await store().putFact(fact(21), 4)).toBe('put');
      expect(await store().putFact(fact(22), 4)).toBe('full');
      const changed = { ...before[0]!, text: 'another' };
      const same = Array.from({ length: 5 }, () => store().putFact(changed, 4));
      expect(await Promise.all(same)).toEqual(Array(5).fill('put'));
      expect((await store().listFacts(user_id)).map(({ text }) => text)).toContain('another');
    });

    it('keeps one text for a fact, the last one, and lists those of one user, newest first', async () => {
      const [user_id, other] = [makeId(), makeId()];
      const fact = (day: number, more: Partial<Fact> = {}): Fact => ({
        _id: makeId(),
        user_id,
        key: '$cat.name \u{1F408}',
        text: `on day ${day}`,
        at: `2026-03-0${day}T10:00:00.000Z`,
        ...more,
      });
      const [first, second, foreign] = [fact(1), fact(2), fact(3, { user_id: other })];
      for (const row of [first, second, foreign]) await store().putFact(row, 200);
      expect(await store().listFacts(user_id)).toEqual([second, first]);
      const changed = { ...first, text: '"{$set}" \ud800', at: '2026-03-09T10:00:00.000Z' };
      await store().putFact(changed, 200);
      await store().putFact(changed, 200);
      expect(await store().listFacts(user_id)).toEqual([changed, second]);
      await store().removeFact(first._id);
      await store().removeFact(first._id);
      expect(await store().listFacts(user_id)).toEqual([second]);
      await store().putFact(first, 200);
      expect(await store().listFacts(user_id)).toEqual([second, first]);
      expect(await store().listFacts(other)).toEqual([foreign]);
    });
  });

  describe('bindings', () => {
    it('keeps one value for a binding, the last one, also of two at once', async () => {
      const first: Binding = {
        _id: makeId(),
        user_id: makeId(),
        dialect: 'test-dialect',
        key: '$a.b \u{1F511}',
        value: '{"$set":"a.b"}',
        at: '2026-03-01T10:00:00.000Z',
      };
      expect(await store().getBinding(first._id)).toBeNull();
      await store().putBinding(first);
      expect(await store().getBinding(first._id)).toEqual(first);
      const changed = { ...first, value: '"\ud800"', at: '2026-03-09T10:00:00.000Z' };
      await store().putBinding(changed);
      await store().putBinding(changed);
      expect(await store().getBinding(first._id)).toEqual(changed);
      const other = { ...first, _id: makeId() };
      const rivals = [1, 2, 3, 4].map((value) => ({ ...other, value: `${value}` }));
      await Promise.all(rivals.map((row) => store().putBinding(row)));
      expect(rivals).toContainEqual(await store().getBinding(other._id));
      expect(await store().getBinding(first._id)).toEqual(changed);
    });

    it('lets the first one of rivals insert a binding, lists them by user and dialect, and removes them', async () => {
      const [user_id, other] = [makeId(), makeId()];
      const binding = (more: Partial<Binding> = {}): Binding => ({
        _id: makeId(),
        user_id,
        dialect: 'test-dialect',
        key: 'k',
        value: '1',
        at: '2026-03-01T10:00:00.000Z',
        ...more,
      });
      const first = binding();
      const rivals = [1, 2, 3, 4].map((value) => ({ ...first, value: `${value}` }));
      const inserted = await Promise.all(rivals.map((row) => store().insertBinding(row)));
      const winner = rivals[inserted.findIndex(({ won }) => won)];
      expect(inserted.map(({ won }) => won).sort()).toEqual([false, false, false, true]);
      expect(inserted.map(({ row }) => row)).toEqual([winner, winner, winner, winner]);
      const second = binding({ key: 'l' });
      await store().putBinding(second);
      await store().putBinding(binding({ dialect: 'another' }));
      const foreign = binding({ user_id: other });
      await store().putBinding(foreign);
      const listed = await store().listBindings(user_id, 'test-dialect');
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([winner, second]));
      await store().removeBinding(first._id);
      await store().removeBinding(first._id);
      expect(await store().listBindings(user_id, 'test-dialect')).toEqual([second]);
      expect(await store().listBindings(other, 'test-dialect')).toEqual([foreign]);
      expect(await store().insertBinding(first)).toEqual({ won: true, row: first });
    });

    it('removes the bindings of a conversation, and no others', async () => {
      const conversation_id = makeId();
      const mine = [1, 2].map(() => sampleBinding({ conversation_id }));
      const others = [sampleBinding({ conversation_id: makeId() }), sampleBinding()];
      for (const row of [...mine, ...others]) await store().putBinding(row);
      const moved = { ...others[1]!, conversation_id };
      await store().putBinding(moved);
      expect(await store().getBinding(moved._id)).toEqual(moved);
      await store().putBinding(others[1]!);
      expect(await store().getBinding(moved._id)).toEqual(moved);
      await store().removeBindingsOf(conversation_id);
      await store().removeBindingsOf(conversation_id);
      const left = await Promise.all([...mine, ...others].map(({ _id }) => store().getBinding(_id)));
      expect(left).toEqual([null, null, others[0], null]);
    });

    it('removes bindings whose time is over, oldest first, unless they were prolonged', async () => {
      const ends = [3, 1, 2, 4].map((day) => sampleBinding({ expires_at: `1999-01-0${day}T00:00:00.000Z` }));
      const rows = [...ends, sampleBinding()];
      for (const row of rows) await store().putBinding(row);
      const left = async () => {
        const found = await Promise.all(rows.map(({ _id }) => store().getBinding(_id)));
        return found.map((row) => row !== null);
      };
      const before = '1999-01-04T00:00:00.000Z';
      expect(await store().removeExpiredBindings(before, 1)).toBe(1);
      expect(await left()).toEqual([true, false, true, true, true]);
      await store().prolongBinding(ends[2]!._id, '2999-01-01T00:00:00.000Z');
      expect(await store().removeExpiredBindings(before, 10)).toBe(1);
      expect(await left()).toEqual([false, false, true, true, true]);
      expect(await store().getBinding(ends[2]!._id)).toMatchObject({
        expires_at: '2999-01-01T00:00:00.000Z',
      });
      await store().prolongBinding(ends[0]!._id, '2999-01-01T00:00:00.000Z');
      expect(await store().getBinding(ends[0]!._id)).toBeNull();
      expect(await store().removeExpiredBindings(before, 10)).toBe(0);
      expect(await store().removeExpiredBindings('1999-01-05T00:00:00.000Z', 10)).toBe(1);
    });
  });
}

function sampleBinding(more: Partial<Binding> = {}): Binding {
  const place = { _id: makeId(), user_id: makeId(), dialect: 'test-dialect', key: 'k' };
  return { ...place, value: '1', at: '2026-03-01T10:00:00.000Z', ...more };
}
