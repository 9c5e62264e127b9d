import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Step } from '#contracts';
import { StoreUnavailableError, type Store } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { retryingStore } from './retrying-store.js';
import { openPorts, stepRow } from './testing/test-ports.js';

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

let random: SeededRandom;
let clock: VirtualClock;
beforeEach(() => {
  random = new SeededRandom(1);
  clock = new VirtualClock(random);
});
const retry = (store: Store, signal = new AbortController().signal) =>
  retryingStore(store, signal, { clock, random });

describe('a retrying store', () => {
  it('passes on every other error, and every error after it is asked to give up', async () => {
    const broken = await flakyStore(1, new TypeError('a bug'));
    await expect(retry(broken.store).commitStep(stepRow(1))).rejects.toThrow(TypeError);
    const down = await flakyStore(1);
    const store = retry(down.store, AbortSignal.abort());
    await expect(store.commitStep(stepRow(1))).rejects.toThrow(StoreUnavailableError);
    expect([broken.asked.length, down.asked.length]).toEqual([1, 1]);
  });

  it('retries with the same row until the store is back', async () => {
    const { store, asked } = await flakyStore(2);
    const row = stepRow(1);
    const inserting = retry(store).commitStep(row);
    await clock.runUntil('three tries', () => asked.length === 3, 1_000);
    expect(await inserting).toEqual({ won: true, row });
    expect(asked).toEqual([row, row, row]);
  });

  it('otherwise behaves like the store', async () => {
    const { store } = await openPorts();
    const retrying: Store = retry(store);
    expect(await retrying.getStep('turn_1', 1)).toBeNull();
  });
});
