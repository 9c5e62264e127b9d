import { describe, expect, it } from '@jest/globals';
import { oldApprovalRequests, oldConnections, oldDeadLetters, oldUsage } from './old-rows.js';

const NOW = Date.parse('2026-03-31T13:00:00.000Z');
const MINUTE_MS = 60_000;

/** A store that removes these numbers of rows, one after the other, then none. */
function storeOf(...removed: number[]) {
  const asked: [string, number][] = [];
  const remove = (before: string, limit: number) => {
    asked.push([before, limit]);
    return Promise.resolve(removed.shift() ?? 0);
  };
  return { asked, removeUsageBefore: remove, removeOldDeadLetters: remove };
}

describe('old usage', () => {
  it('is removed by whole days', async () => {
    const store = storeOf();
    await oldUsage(store, 30).sweep(NOW);
    expect(store.asked).toEqual([['2026-03-01', 1_000]]);
  });

  it('is removed batch by batch in subsequent rounds, and checked again after an hour', async () => {
    const store = storeOf(1_000, 999);
    const rows = oldUsage(store, 30);
    await rows.sweep(NOW);
    await rows.sweep(NOW + 1);
    expect(store.asked).toHaveLength(2);
    await rows.sweep(NOW + 60 * MINUTE_MS);
    expect(store.asked).toHaveLength(2);
    await rows.sweep(NOW + 1 + 60 * MINUTE_MS);
    expect(store.asked).toHaveLength(3);
  });
});

describe('requests for approval', () => {
  it('are removed once nobody can answer them', async () => {
    const asked: [number, number][] = [];
    const removeApprovalRequestsBefore = async (before: number, limit: number) => {
      asked.push([before, limit]);
      return 0;
    };
    const rows = oldApprovalRequests({ removeApprovalRequestsBefore });
    await rows.sweep(NOW);
    await rows.sweep(NOW + 9 * MINUTE_MS);
    await rows.sweep(NOW + 11 * MINUTE_MS);
    expect(asked).toEqual([
      [NOW, 100],
      [NOW + 11 * MINUTE_MS, 100],
    ]);
  });
});

describe('connections that were not finished', () => {
  it('are removed after their time', async () => {
    const asked: [string, number][] = [];
    const removeExpiredConnections = async (before: string, limit: number) => {
      asked.push([before, limit]);
      return 0;
    };
    await oldConnections({ removeExpiredConnections }).sweep(NOW);
    expect(asked).toEqual([['2026-03-31T13:00:00.000Z', 100]]);
  });
});

describe('old dead letters', () => {
  it('are removed to the millisecond, and checked again after a minute', async () => {
    const store = storeOf(100, 1);
    const letters = oldDeadLetters(store, 1);
    await letters.sweep(NOW);
    await letters.sweep(NOW);
    await letters.sweep(NOW + MINUTE_MS - 1);
    expect(store.asked).toEqual(Array(2).fill(['2026-03-30T13:00:00.000Z', 100]));
    await letters.sweep(NOW + MINUTE_MS);
    expect(store.asked).toHaveLength(3);
  });

  it('are checked in the next round when the store has failed', async () => {
    const store = storeOf();
    const broken = { removeOldDeadLetters: () => Promise.reject(new Error('down')) };
    const letters = oldDeadLetters(broken, 1);
    await expect(letters.sweep(NOW)).rejects.toThrow('down');
    broken.removeOldDeadLetters = store.removeOldDeadLetters as never;
    await letters.sweep(NOW);
    expect(store.asked).toHaveLength(1);
  });
});
