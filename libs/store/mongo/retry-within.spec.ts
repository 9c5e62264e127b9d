import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { StoreSetupError, StoreUnavailableError } from '../port/store-errors.js';
import { retryWithin } from './retry-within.js';

const BUDGET_MS = 5_000;

function start(attempt: (tries: number) => Promise<string>) {
  const random = new SeededRandom(1);
  const clock = new VirtualClock(random);
  const seen = { tries: 0, end: undefined as unknown, endedAt: NaN };
  const end = (value: unknown) => {
    seen.end = value;
    seen.endedAt = clock.now();
  };
  void retryWithin({ clock, random }, BUDGET_MS, () => attempt(++seen.tries)).then(end, end);
  return { clock, seen };
}

it('retryWithin retries until it succeeds', async () => {
  const away = new StoreUnavailableError('away');
  const { clock, seen } = start((tries) => (tries < 4 ? Promise.reject(away) : Promise.resolve('row')));
  await clock.advance(BUDGET_MS);
  expect(seen).toMatchObject({ tries: 4, end: 'row' });
});

it('retryWithin gives up within the budget when the server stays away', async () => {
  const { clock, seen } = start(() => Promise.reject(new StoreUnavailableError('away')));
  await clock.advance(BUDGET_MS);
  expect(seen.end).toBeInstanceOf(StoreUnavailableError);
  expect(seen.tries).toBeGreaterThan(5);
});

it('retryWithin gives up at the end of the budget when the server never answers', async () => {
  const { clock, seen } = start(() => new Promise(() => undefined));
  await clock.advance(BUDGET_MS);
  expect(seen).toMatchObject({ tries: 1, endedAt: BUDGET_MS });
  expect(seen.end).toMatchObject({ message: 'MongoDB did not answer in time.' });
});

it('retryWithin does not retry a permanent error', async () => {
  const { clock, seen } = start(() => Promise.reject(new StoreSetupError('no rights')));
  await clock.runUntilIdle();
  expect(seen).toMatchObject({ tries: 1, end: new StoreSetupError('no rights') });
});
