import { describe, expect, it } from '@jest/globals';
import type { Turn } from '#contracts';
import { makeEarlierTurnsDue } from './alone.js';

describe('makeEarlierTurnsDue', () => {
  it('moves what would be due later to now, and nothing else', async () => {
    const dueAt = new Map<string, number | null>([
      ['overdue', 400],
      ['later', 9_000],
      ['parked', 30_000],
    ]);
    const store = {
      listDueTurns: () => Promise.resolve([...dueAt].map(([_id, due_at]) => ({ _id, due_at }) as Turn)),
      setTurnDue: (id: string, due: number | null) => Promise.resolve(void dueAt.set(id, due)),
    };
    await makeEarlierTurnsDue(store, 1_000);
    expect(Object.fromEntries(dueAt)).toEqual({ overdue: 400, later: 1_000, parked: 1_000 });
  });
});
