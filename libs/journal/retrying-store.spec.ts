import { describe, expect, it, jest } from '@jest/globals';
import type { Step } from '#contracts';
import { StoreUnavailableError, type Store } from '#store';
import { retryingStore } from './retrying-store.js';
import { openPorts, stepRow } from './testing/test-ports.js';

const goingOn = () => new AbortController().signal;

/** Fails so many times before the real store answers; what it was asked with. */
async function flakyStore(failures: number, error: Error = new StoreUnavailableError('down')) {
  const { store } = await openPorts();
  const asked: Step[] = [];
  const commitStep = store.commitStep.bind(store);
  store.commitStep = async (row) => {
    asked.push(row);
    if (asked.length <= failures) throw error;
    return commitStep(row);
  };
  return { store, asked };
}

/** Lets waits pass at once. */
async function withoutWaiting<T>(run: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ advanceTimers: 1_000 });
  try {
    return await run();
  } finally {
    jest.useRealTimers();
  }
}

describe('a retrying store', () => {
  it('passes on every other error, and every error once it is told to give up', async () => {
    const broken = await flakyStore(1, new TypeError('a bug'));
    await expect(retryingStore(broken.store, goingOn()).commitStep(stepRow(1))).rejects.toThrow(TypeError);
    const down = await flakyStore(1);
    const store = retryingStore(down.store, AbortSignal.abort());
    await expect(store.commitStep(stepRow(1))).rejects.toThrow(StoreUnavailableError);
    expect([broken.asked.length, down.asked.length]).toEqual([1, 1]);
  });

  it('tries again with the same row until the store is back', async () => {
    const { store, asked } = await flakyStore(2);
    const row = stepRow(1);
    const inserted = await withoutWaiting(() => retryingStore(store, goingOn()).commitStep(row));
    expect(inserted).toEqual({ won: true, row });
    expect(asked).toEqual([row, row, row]);
  });

  it('is the store otherwise', async () => {
    const { store } = await openPorts();
    const retrying: Store = retryingStore(store, goingOn());
    expect(await retrying.getStep('turn_1', 1)).toBeNull();
  });
});
