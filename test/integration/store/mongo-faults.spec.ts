import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createStore, StoreUnavailableError, type Store } from '#store';
import type { Claim } from '#contracts';
import { systemTime } from '#time';
import { makeCallId, sampleClaim, sampleTurn } from '../../../libs/store/testing/sample-rows.js';
import { startMongo, type MongoService } from '../../services/mongo.js';
import { describeWithServices, serviceStartTimeoutMs } from '../../services/test-services.js';
import { inTime, waitFor } from '../../services/wait-for.js';

describeWithServices(['private-mongo'], 'the Mongoose adapter when its server dies', () => {
  let mongo: MongoService;
  let store: Store;
  const turn = sampleTurn();
  const makeClaim = () => sampleClaim(turn, makeCallId(), 1);

  beforeAll(async () => {
    mongo = await startMongo({ file: true });
    store = createStore({ ...systemTime(), url: mongo.url('faults') });
    await store.open();
  }, serviceStartTimeoutMs);
  afterAll(async () => {
    await store.close();
    await mongo.stop();
  });

  /** Writes until the store refuses, and returns what was acknowledged as won. */
  async function writeUntilRefused(acknowledged: Claim[]): Promise<unknown> {
    for (;;) {
      const claim = makeClaim();
      try {
        const { won } = await store.claim(claim);
        expect(won).toBe(true);
        acknowledged.push(claim);
      } catch (error) {
        return error;
      }
    }
  }

  async function expectRefusal(operation: Promise<unknown>): Promise<void> {
    await expect(inTime(operation, { what: 'an answer of the store' })).rejects.toThrow(
      StoreUnavailableError,
    );
  }

  it('MongoDB keeps every acknowledged insert after SIGKILL during writes, refuses in bounded time, and recovers', async () => {
    const acknowledged: Claim[] = [];
    const writers = Array.from({ length: 8 }, () => writeUntilRefused(acknowledged));
    await waitFor(() => acknowledged.length >= 200, { what: '200 acknowledged claims' });
    await mongo.kill();
    for (const error of await Promise.all(writers)) expect(error).toBeInstanceOf(StoreUnavailableError);

    const refusals = [store.claim(makeClaim()), store.readJournal(turn._id), store.setTurnDue(turn._id, 1)];
    await Promise.all([...refusals, store.ping(), store.beat('worker-x')].map(expectRefusal));

    await mongo.restart();
    await waitFor(() => store.ping().then(() => true), { what: 'the store answers again' });
    const kept = new Map<string, Claim>();
    for (const claim of acknowledged)
      kept.set(claim._id, (await store.listClaims(claim._id.slice(0, -2)))[0]!);
    expect([...kept.values()]).toEqual(acknowledged);
    expect(await store.claim(makeClaim())).toMatchObject({ won: true });
  }, 60_000);

  it('MongoDB counts a row as won that its process inserted again after the outage', async () => {
    const claim = makeClaim();
    mongo.freeze();
    await expectRefusal(store.claim(claim));
    mongo.thaw();
    await waitFor(() => store.ping().then(() => true), {
      what: 'the store answers again',
      timeoutMs: 20_000,
    });
    expect(await store.claim(claim)).toEqual({ won: true, row: claim });
    expect(await store.claim(claim)).toEqual({ won: false, row: claim });
  }, 60_000);
});
