import { expect, it } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { LOCAL_USER } from '../../people/auth/user.js';
import type { Viewer } from '../../feeds/viewer.js';
import { DialectTurns } from './dialect-turns.js';

const place = { conversation_id: 'conv_1', turn_id: 'turn_1' };

/** A turn in a store that fails once the turn's stream is open. */
function setUp(status = 'completed') {
  const viewers = new Set<unknown>();
  const feed = { add: (viewer: Viewer) => viewers.add(viewer), startEmpty: () => undefined };
  const feeds = {
    open: () => Promise.resolve(feed),
    join: async (_id: string, viewer: Viewer) => void feed.add(viewer),
    leave: (_id: string, viewer: Viewer) => void viewers.delete(viewer),
  };
  const ended = { answer: place, isEnded: true, isNewConversation: false, announce: () => Promise.resolve() };
  const turn = { _id: 'turn_1', conversation_id: 'conv_1', status };
  const deps = {
    feeds,
    submitTurn: { accept: () => Promise.resolve(ended) },
    ownership: { turn: () => Promise.resolve(turn) },
    turnReader: { turn: () => Promise.reject(new StoreUnavailableError('away')) },
  };
  const turns = new DialectTurns(deps as unknown as ConstructorParameters<typeof DialectTurns>[0]);
  return { turns, viewers };
}

it('a turn that has ended and cannot be read leaves no viewer behind', async () => {
  const { turns, viewers } = setUp();
  await expect(turns.follow(LOCAL_USER, 'turn_1')).rejects.toThrow(StoreUnavailableError);
  await expect(turns.start(LOCAL_USER, { ...place, content: 'Hi' })).rejects.toThrow(StoreUnavailableError);
  expect(viewers.size).toBe(0);
});

it('a turn that begins while the process stops is told so, and leaves no viewer behind', async () => {
  const { turns, viewers } = setUp('running');
  turns.stop();
  const { stream } = await turns.follow(LOCAL_USER, 'turn_1');
  const told: string[] = [];
  for await (const { type } of stream) told.push(type);
  expect(told).toEqual(['gateway_stopping']);
  expect(viewers.size).toBe(0);
});
