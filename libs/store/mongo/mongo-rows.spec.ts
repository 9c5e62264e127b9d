import { expect, it } from '@jest/globals';
import type { Claim } from '#contracts';
import { SystemClock } from '#time';
import { SeededRandom } from '#time/testing';
import { MongoRows } from './mongo-rows.js';

/** As many as may be on their way when a server goes away. */
const ON_THEIR_WAY = 10_000;

/** Of which a part goes by at once. */
class AgingClock extends SystemClock {
  private agedMs = 0;

  override now(): number {
    return super.now() + this.agedMs;
  }

  age(ms: number): void {
    this.agedMs += ms;
  }
}

/** Takes every row; while it is away the answer is lost, and too late to try again. */
class FakeCollection {
  readonly clock = new AgingClock();
  isAway = false;
  private readonly documents = new Map<string, { _id: string }>();

  findOne({ _id }: { _id: string }): Promise<object | null> {
    return Promise.resolve(this.documents.get(_id) ?? null);
  }

  insertOne(document: { _id: string }): Promise<void> {
    const { _id } = document;
    if (this.documents.has(_id))
      return Promise.reject(Object.assign(new Error('duplicate'), { code: 11_000 }));
    this.documents.set(_id, document);
    if (!this.isAway) return Promise.resolve();
    this.clock.age(10_000);
    return Promise.reject(Object.assign(new Error('connection lost'), { name: 'MongoNetworkError' }));
  }
}

const claimOf = (_id: string): Claim => ({
  _id,
  ...{ turn_id: 'turn_1', conversation_id: 'conv_1', owner: 'worker-1', n: 1, purpose: 'run' },
  at: '2026-01-01T00:00:00.000Z',
});

it('MongoRows recognises, in any number, rows whose first insert had no answer', async () => {
  const collection = new FakeCollection();
  const time = { clock: collection.clock, random: new SeededRandom(1) };
  const rows = new MongoRows({ collection } as never, 'claims', time);
  const insert = (id: string) => rows.insert(claimOf(id));
  const ids = Array.from({ length: ON_THEIR_WAY }, (_, i) => `call_${i}:1`);

  collection.isAway = true;
  const lost = await Promise.allSettled(ids.map(insert));
  expect(lost.filter(({ status }) => status === 'fulfilled').length).toBe(0);
  collection.isAway = false;
  const again = await Promise.all(ids.map(insert));
  expect(again.filter(({ won }) => !won).length).toBe(0);
  // Its own row was answered: one that stands there is somebody else's.
  expect((await insert(ids[0]!)).won).toBe(false);
});
