import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Bus } from '#messaging';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { testPorts } from '#journal/testing';
import { LOCAL_USER } from '../people/auth/user.js';
import { isNotFound, notFound } from '../errors/request-error.js';
import { newTurn } from './new-turn.js';
import { Conversations, newConversation } from './conversations.js';
import { Ownership } from './ownership.js';
import type { StopTurns } from './stop-turns.js';

const { clock, random } = systemTime();
let store: Store;

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  await store.insertConversation(newConversation(clock, 'conv_1', LOCAL_USER.id));
  const turn = { conversationId: 'conv_1', turnId: 'turn_1', userId: LOCAL_USER.id, client_message_id: 'm' };
  await store.insertTurn(newTurn(clock, { ...turn, content: 'Hi' }));
});

afterEach(() => store.close());

function conversationsWith(stop: StopTurns['stop']): Conversations {
  const bus = { emit: () => undefined } as Partial<Bus> as Bus;
  const ports = testPorts({ store, bus, clock, random });
  const [admission, models] = [{ count: () => undefined }, { check: () => undefined }];
  return new Conversations(new Ownership(store), { stop }, ports, admission, models);
}

it('a conversation is deleted even if the sweeper removes its turn before it can be stopped', async () => {
  const conversations = conversationsWith(() => Promise.reject(notFound()));
  await conversations.delete(LOCAL_USER, 'conv_1');
  expect((await store.getConversation('conv_1'))?.deleted_at).toEqual(expect.any(String));
});

it('who deletes again after a failure is told «not found» only once the turns are stopped', async () => {
  const stopped: string[] = [];
  let failures = 2;
  const conversations = conversationsWith(async (turnId) => {
    if (failures-- > 0) throw new Error('the store is away');
    stopped.push(turnId);
    return [];
  });
  await expect(conversations.delete(LOCAL_USER, 'conv_1')).rejects.toThrow('the store is away');
  await expect(conversations.delete(LOCAL_USER, 'conv_1')).rejects.toThrow('the store is away');
  expect(await conversations.delete(LOCAL_USER, 'conv_1').then(() => false, isNotFound)).toBe(true);
  expect(stopped).toEqual(['turn_1']);
});

it('nobody else can go on with a deletion', async () => {
  const conversations = conversationsWith(() => Promise.reject(new Error('the store is away')));
  await expect(conversations.delete(LOCAL_USER, 'conv_1')).rejects.toThrow('the store is away');
  const stranger = { ...LOCAL_USER, id: 'stranger' };
  expect(await conversations.delete(stranger, 'conv_1').then(() => false, isNotFound)).toBe(true);
});
