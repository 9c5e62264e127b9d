import { describe, expect, it } from '@jest/globals';
import type { UsageHold, UsageRow } from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeId } from './sample-rows.js';

const NONE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: 0 };

function sampleUsage(fields: Partial<UsageRow> = {}): UsageRow {
  const place = { user_id: makeId(), day: '2026-03-01', conversation_id: makeId(), model: 'a/b' };
  const used = { input_tokens: 100, output_tokens: 10, cached_tokens: 50, cost: 0.25 };
  return { _id: makeId(), ...place, ...used, counted_to: 1, ...fields };
}

export function describeUsage(store: () => Store): void {
  const sum = async (user_id: string, from = '2026-03-01', to = from) =>
    (await store().sumUsage({ user_id, from, to, by: [], limit: 1 }))[0];

  describe('usage', () => {
    it('adds up rows in order, and counts a repeated or earlier one once', async () => {
      const row = sampleUsage();
      const { user_id } = row;
      expect(await sum(user_id)).toBeUndefined();
      for (const counted_to of [1, 1, 3, 2, 3, 1]) await store().addUsage({ ...row, counted_to });
      expect(await sum(user_id)).toEqual({
        input_tokens: 200,
        output_tokens: 20,
        cached_tokens: 100,
        cost: 0.5,
      });
    });

    it('counts the same step once, however many say so at once', async () => {
      const row = sampleUsage();
      await Promise.all(Array.from({ length: 8 }, () => store().addUsage(row)));
      await Promise.all(Array.from({ length: 8 }, () => store().addUsage({ ...row, counted_to: 2 })));
      expect(await sum(row.user_id)).toMatchObject({ input_tokens: 200, cost: 0.5 });
    });

    it('is summed over the days, of one user and by every key', async () => {
      const user_id = makeId();
      const [talk, other] = ['a', 'b'].map((name) => name + makeId());
      const used = { ...NONE, input_tokens: 1 };
      const rows = [
        { day: '2026-02-28', conversation_id: talk!, model: 'a/b' },
        { day: '2026-03-01', conversation_id: talk!, model: 'a/b' },
        { day: '2026-03-01', conversation_id: talk!, model: 'c/$d.e' },
        { day: '2026-03-02', conversation_id: other!, model: 'a/b' },
        { day: '2026-03-03', conversation_id: other!, model: 'a/b' },
      ];
      for (const row of rows) await store().addUsage(sampleUsage({ user_id, ...used, ...row }));
      await store().addUsage(sampleUsage({ day: '2026-03-01' }));
      const query = { user_id, from: '2026-03-01', to: '2026-03-02', limit: 10 };
      const by = (...keys: ('day' | 'model' | 'conversation_id' | 'user_id')[]) =>
        store().sumUsage({ ...query, by: keys });
      expect(await by()).toEqual([{ ...used, input_tokens: 3 }]);
      expect(await by('day')).toEqual([
        { day: '2026-03-01', ...used, input_tokens: 2 },
        { day: '2026-03-02', ...used },
      ]);
      expect(await by('model')).toEqual([
        { model: 'a/b', ...used, input_tokens: 2 },
        { model: 'c/$d.e', ...used },
      ]);
      expect(await by('conversation_id', 'model')).toEqual([
        { conversation_id: talk, model: 'a/b', ...used },
        { conversation_id: talk, model: 'c/$d.e', ...used },
        { conversation_id: other, model: 'a/b', ...used },
      ]);
      expect(await store().sumUsage({ ...query, by: ['day'], limit: 1 })).toHaveLength(1);
      const all = await store().sumUsage({ ...query, user_id: undefined, by: ['user_id'], limit: 100 });
      expect(all).toContainEqual({ user_id, ...used, input_tokens: 3 });
    });

    it('of old days is removed, a bounded number at a time', async () => {
      const user_id = makeId();
      for (const day of ['1999-01-01', '1999-01-02', '1999-01-03'])
        await store().addUsage(sampleUsage({ user_id, day }));
      expect(await store().removeUsageBefore('1999-01-03', 1)).toBe(1);
      expect(await store().removeUsageBefore('1999-01-03', 10)).toBe(1);
      expect(await store().removeUsageBefore('1999-01-03', 10)).toBe(0);
      expect(await sum(user_id, '1999-01-01', '1999-12-31')).toMatchObject({ input_tokens: 100 });
    });

    it('that may be under way is held once by a turn, until it is known', async () => {
      const user_id = makeId();
      const hold = (tokens: number): UsageHold => ({
        _id: `turn_${user_id}`,
        user_id,
        tokens,
        cost: tokens / 100,
        at: '2026-03-01T10:00:00.000Z',
      });
      await store().putUsageHold(hold(1));
      await store().putUsageHold(hold(5));
      expect(await store().listUsageHolds(user_id)).toEqual([hold(5)]);
      expect(await store().listUsageHolds(makeId())).toEqual([]);
      await store().removeUsageHold(hold(5)._id);
      await store().removeUsageHold(hold(5)._id);
      expect(await store().listUsageHolds(user_id)).toEqual([]);
    });
  });
}
