import { describe, expect, it } from '@jest/globals';
import { groupByDay } from './days.js';

const now = new Date(2026, 10, 22, 12, 0, 0);
const at = (daysAgo: number, hour: number) => ({
  updated_at: new Date(2026, 10, 22 - daysAgo, hour).toISOString(),
});

describe('conversations by day', () => {
  it('are grouped by calendar day, not by hours passed', () => {
    const items = [at(0, 0), at(1, 23), at(1, 0), at(2, 23), at(7, 1), at(8, 23), at(60, 1)];
    const groups = groupByDay(items, now);
    expect(groups.map(({ name, items: { length } }) => [name, length])).toEqual([
      ['Today', 1],
      ['Yesterday', 2],
      ['Last 7 days', 2],
      ['Older', 2],
    ]);
  });

  it('leave out empty groups', () => {
    expect(groupByDay([at(1, 5)], now).map(({ name }) => name)).toEqual(['Yesterday']);
    expect(groupByDay([], now)).toEqual([]);
  });
});
