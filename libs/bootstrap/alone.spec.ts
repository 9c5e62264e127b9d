import { describe, expect, it } from '@jest/globals';
import type { ProcessRow, Turn } from '#contracts';
import { takeOverStore } from './alone.js';

describe('taking over a store that nobody else has open', () => {
  it('moves what would be due later to now, in one write, and forgets every earlier process', async () => {
    let writes = 0;
    const processes = new Set(['gateway-1', 'worker-1']);
    const dueAt = new Map<string, number | null>([
      ['overdue', 400],
      ['later', 9_000],
      ['parked', 30_000],
    ]);
    const store = {
      listProcesses: async () => [...processes].map((_id) => ({ _id }) as ProcessRow),
      removeProcess: async (id: string) => void processes.delete(id),
      listDueTurns: () => Promise.resolve([...dueAt].map(([_id, due_at]) => ({ _id, due_at }) as Turn)),
      setTurnsDue: async (ids: string[], due: number) => {
        writes++;
        for (const id of ids) dueAt.set(id, due);
      },
    };
    await takeOverStore(store, 1_000);
    expect(writes).toBe(1);
    expect(Object.fromEntries(dueAt)).toEqual({ overdue: 400, later: 1_000, parked: 1_000 });
    expect([...processes]).toEqual([]);
  });
});
