import { describe, expect, it } from '@jest/globals';
import type { Turn } from '#contracts';
import { makeEarlierTurnsDue } from './make-earlier-turns-due.js';

describe('makeEarlierTurnsDue', () => {
  it('makes later turns due now, in one write, and changes nothing else', async () => {
    let writes = 0;
    const dueAt = new Map<string, number | null>([
      ['overdue', 400],
      ['later', 9_000],
      ['parked', 30_000],
    ]);
    const store = {
      listDueTurns: () => Promise.resolve([...dueAt].map(([_id, due_at]) => ({ _id, due_at }) as Turn)),
      setTurnsDue: async (ids: string[], due: number) => {
        writes++;
        for (const id of ids) dueAt.set(id, due);
      },
    };
    await makeEarlierTurnsDue(store, 1_000);
    expect(writes).toBe(1);
    expect(Object.fromEntries(dueAt)).toEqual({ overdue: 400, later: 1_000, parked: 1_000 });
  });
});
