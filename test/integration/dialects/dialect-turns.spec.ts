import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { StoreUnavailableError, type Store } from '#store';
import { LOCAL_USER } from '../../../apps/gateway/people/auth/user.js';
import type { DialectTurns } from '../../../apps/gateway/dialects/host/dialect-turns.js';
import type { TurnStream } from '../../../apps/gateway/dialects/stream/turn-stream.js';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';
import { PlayedTurn } from '../gateway/played-turn.js';

let harness: Harness;
let turns: DialectTurns;
/** Journals cannot be read, of one turn alone. */
let isAway: boolean;
beforeEach(async () => {
  isAway = false;
  harness = await startHarness({
    alter: ({ store }) => {
      const readJournal: Store['readJournal'] = store.readJournal.bind(store);
      store.readJournal = (turnId) =>
        isAway ? Promise.reject(new StoreUnavailableError('away')) : readJournal(turnId);
      return { store };
    },
  });
  turns = harness.running.gateway.dialectTurns;
});
afterEach(() => harness.stop());

async function typesOf(stream: TurnStream): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

const viewers = () => harness.running.gateway.feeds.viewers;

it('a dialect leaves no viewer behind for an ended turn that cannot be read', async () => {
  const message = { content: 'Hi', client_message_id: 'once' };
  const { stream, ...place } = await turns.start(LOCAL_USER, message);
  const played = await PlayedTurn.take(harness, place.turn_id);
  await played.start();
  played.beginStep(1);
  played.complete(await played.commit(1, 'Hello.'));
  expect((await typesOf(stream)).at(-1)).toBe('turn_ended');
  await harness.store.setTurnStatus(place.turn_id, 'completed');
  isAway = true;
  await expect(turns.follow(LOCAL_USER, place.turn_id)).rejects.toThrow(StoreUnavailableError);
  const again = { ...message, conversation_id: place.conversation_id };
  await expect(turns.start(LOCAL_USER, again)).rejects.toThrow(StoreUnavailableError);
  expect(viewers()).toBe(0);
});

it('a dialect reports that the process stops to a turn that begins meanwhile, and leaves no viewer behind', async () => {
  const { stream: first, turn_id } = await turns.start(LOCAL_USER, { content: 'Hi', client_message_id: 'a' });
  first.close();
  const stopping = harness.running.gateway.drain(0);
  const { stream } = await turns.follow(LOCAL_USER, turn_id);
  expect(await typesOf(stream)).toEqual(['gateway_stopping']);
  await stopping;
  expect(viewers()).toBe(0);
});
