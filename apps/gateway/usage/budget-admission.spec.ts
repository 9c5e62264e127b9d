import { describe, expect, it } from '@jest/globals';
import type { UsageQuery, UsageSum } from '#store';
import { StoreUnavailableError } from '#store';
import { BudgetAdmission } from './budget-admission.js';

const ann = { id: 'ann' };

function openAdmission(budget: { tokens?: number; cost?: number }, used: Record<string, number>) {
  const reads: UsageQuery[] = [];
  const noted: unknown[] = [];
  const clock = { now: Date.parse('2026-03-01T23:59:57.000Z'), isDown: false };
  const store = {
    sumUsage(query: UsageQuery): Promise<UsageSum[]> {
      reads.push(query);
      if (clock.isDown) return Promise.reject(new StoreUnavailableError('Down.'));
      const tokens = used[`${query.user_id} ${query.from}`];
      const sum = { input_tokens: tokens ?? 0, output_tokens: 0, cached_tokens: 0, cost: 0 };
      return Promise.resolve(tokens === undefined ? [] : [sum]);
    },
  };
  const refusals = { note: (...refusal: unknown[]) => void noted.push(refusal) };
  const now = () => clock.now;
  return { admission: new BudgetAdmission(store, budget, refusals, { now, wall: now }), reads, noted, clock };
}

describe('the budget check', () => {
  it('reads nothing without a budget, or for a turn that asks no model', async () => {
    const { admission, reads } = openAdmission({}, { 'ann 2026-03-01': 1_000_000 });
    await admission.check(ann);
    const limited = openAdmission({ tokens: 5 }, { 'ann 2026-03-01': 1_000_000 });
    await limited.admission.check(ann, { call: { tool_name: 'math.add', arguments: {} } });
    expect([reads, limited.reads]).toEqual([[], []]);
  });

  it('refuses a user whose day is used up, with the time until midnight UTC, and logs it', async () => {
    const { admission, noted } = openAdmission(
      { tokens: 100 },
      { 'ann 2026-03-01': 100, 'bob 2026-03-01': 99 },
    );
    await expect(admission.check(ann)).rejects.toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringContaining('renews at 2026-03-02T00:00:00Z'),
      retryAfterMs: 3_000,
    });
    await admission.check({ id: 'bob' });
    expect(noted).toEqual([['usage_per_user_per_day', { user_id: 'ann' }]]);
  });

  it('reads the sum of a user at most once a second, and again after midnight', async () => {
    const used: Record<string, number> = { 'ann 2026-03-01': 0 };
    const { admission, reads, clock } = openAdmission({ tokens: 100 }, used);
    await Promise.all([admission.check(ann), admission.check(ann)]);
    used['ann 2026-03-01'] = 100;
    clock.now += 999;
    await admission.check(ann);
    expect(reads).toHaveLength(1);
    clock.now += 1;
    await expect(admission.check(ann)).rejects.toMatchObject({ code: 'budget_exceeded' });
    clock.now += 999;
    clock.now = Date.parse('2026-03-02T00:00:00.000Z');
    await admission.check(ann);
    expect(reads.map(({ from }) => from)).toEqual(['2026-03-01', '2026-03-01', '2026-03-02']);
  });

  it('does not cache a failed read', async () => {
    const { admission, clock } = openAdmission({ tokens: 100 }, {});
    clock.isDown = true;
    await expect(admission.check(ann)).rejects.toThrow(StoreUnavailableError);
    clock.isDown = false;
    await admission.check(ann);
  });
});
