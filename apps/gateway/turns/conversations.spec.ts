import { expect, it } from '@jest/globals';
import type { Bus } from '#messaging';
import { createStore } from '#store';
import { systemTime } from '#time';
import { testPorts } from '#journal/testing';
import { LOCAL_USER } from '../people/auth/user.js';
import { notFound } from '../errors/request-error.js';
import { newTurn } from './new-turn.js';
import { Conversations, newConversation } from './conversations.js';
import { Ownership } from './ownership.js';

it('a conversation is deleted even if the sweeper removes its turn before it can be stopped', async () => {
  const { clock, random } = systemTime();
  const store = createStore({ dataDir: ':memory:' });
  await store.open();
  await store.insertConversation(newConversation(clock, 'conv_1', LOCAL_USER.id));
  const turn = { conversationId: 'conv_1', turnId: 'turn_1', userId: LOCAL_USER.id, client_message_id: 'm' };
  await store.insertTurn(newTurn(clock, { ...turn, content: 'Hi' }));
  const stopTurns = { stop: () => Promise.reject(notFound()) };
  const bus = { emit: () => undefined } as Partial<Bus> as Bus;
  const ports = testPorts({ store, bus, clock, random });
  const ownership = new Ownership(store);
  const conversations = new Conversations(
    ownership,
    stopTurns,
    ports,
    { count: () => undefined },
    { check: () => undefined },
  );
  await conversations.delete(LOCAL_USER, 'conv_1');
  expect((await store.getConversation('conv_1'))?.deleted_at).toEqual(expect.any(String));
  await store.close();
});
