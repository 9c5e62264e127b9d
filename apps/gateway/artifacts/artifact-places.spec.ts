import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { Response } from 'express';
import { SeededRandom, VirtualClock } from '#time/testing';
import { ArtifactPlaces } from './artifact-places.js';

const refused: [string, unknown][] = [];
const clock = new VirtualClock(new SeededRandom(1));
const placesOf = () =>
  new ArtifactPlaces(
    { atOnce: 3, perUser: 2, waitMs: 5_000 },
    { note: (limit, about) => void refused.push([limit, about]) },
    clock,
  );

/** A response that its client closes. */
class Client extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}
const enter = (places: ArtifactPlaces, userId: string) => {
  const client = new Client();
  return { client, entered: places.enter(userId, client as unknown as Response) };
};

it('ArtifactPlaces limits the places of each user and grants freed places in order', async () => {
  const places = placesOf();
  const [first, second, third, fourth] = ['ann', 'ann', 'ann', 'ann'].map((user) => enter(places, user));
  const bob = [enter(places, 'bob'), enter(places, 'bob')];
  expect(await Promise.all([first!.entered, second!.entered, bob[0]!.entered])).toEqual([true, true, true]);
  expect(places.size).toEqual({ taken: 3, waiting: 3 });
  bob[0]!.client.close();
  expect(await bob[1]!.entered).toBe(true);
  expect(places.size).toEqual({ taken: 3, waiting: 2 });
  first!.client.close();
  const late = enter(places, 'bob');
  expect(await third!.entered).toBe(true);
  expect(places.size).toEqual({ taken: 3, waiting: 2 });
  for (const { client } of [second!, third!, ...bob]) client.close();
  expect(await Promise.all([fourth!.entered, late.entered])).toEqual([true, true]);
  for (const { client } of [fourth!, late]) client.close();
  expect(places.size).toEqual({ taken: 0, waiting: 0 });
});

it('ArtifactPlaces forgets a client that leaves, whether it was waiting or not', async () => {
  const places = placesOf();
  const clients = [1, 2, 3].map(() => enter(places, 'ann'));
  clients[2]!.client.close();
  expect(await clients[2]!.entered).toBe(false);
  const gone = new Client();
  gone.close();
  expect(await places.enter('bob', gone as unknown as Response)).toBe(false);
  await clients[1]!.entered;
  clients.slice(0, 2).forEach(({ client }) => client.close());
  expect(places.size).toEqual({ taken: 0, waiting: 0 });
  for (const { client } of clients) expect(client.listenerCount('close')).toBeLessThanOrEqual(1);
});

it('ArtifactPlaces refuses and logs a read that has waited too long', async () => {
  const places = placesOf();
  enter(places, 'ann');
  enter(places, 'ann');
  const { entered } = enter(places, 'ann');
  const late = expect(entered).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 2_000 });
  await clock.advance(4_999);
  expect(refused).toEqual([]);
  await clock.advance(1);
  await late;
  expect(refused).toEqual([['artifacts_at_once', { user_id: 'ann' }]]);
  expect(places.size).toEqual({ taken: 2, waiting: 0 });
});
