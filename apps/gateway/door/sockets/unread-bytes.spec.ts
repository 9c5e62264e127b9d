import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { EngineConnection } from './engine-connection.js';
import { UnreadBytes } from './unread-bytes.js';

function open(perUser: number, inAll: number) {
  const noted: unknown[] = [];
  const ended: string[] = [];
  const unread = new UnreadBytes({ perUser, inAll }, { note: (...args) => void noted.push(args) });
  const enter = (userId: string, name: string, bytes: number) => {
    const socket = { bufferedAmount: bytes, terminate: () => void ended.push(name) };
    const fake = Object.assign(new EventEmitter(), {
      writeBuffer: [],
      transport: { socket },
      close: () => fake.emit('close'),
    });
    const connection = fake as unknown as EngineConnection;
    unread.enter(connection, userId);
    unread.check(connection);
    return { socket, look: () => unread.check(connection), close: () => fake.emit('close') };
  };
  return { noted, ended, enter };
}

it('UnreadBytes closes the connection of a user with the most unread bytes when all of his exceed the limit', () => {
  const { noted, ended, enter } = open(100, 1_000);
  enter('ann', 'first', 50);
  enter('ann', 'second', 40);
  enter('bob', 'other', 90);
  expect(ended).toEqual([]);
  enter('ann', 'third', 20);
  expect(ended).toEqual(['first']);
  expect(noted).toEqual([['unread_answers_per_user', { user_id: 'ann' }]]);
});

it('UnreadBytes checks again before it closes a connection, so that bytes read meanwhile do not count', () => {
  const { ended, enter } = open(100, 1_000);
  const { socket } = enter('ann', 'first', 90);
  socket.bufferedAmount = 0;
  enter('ann', 'second', 90);
  expect(ended).toEqual([]);
});

it('UnreadBytes ignores closed connections', () => {
  const { ended, enter } = open(100, 1_000);
  enter('ann', 'first', 90).close();
  enter('ann', 'second', 90);
  expect(ended).toEqual([]);
});

it('UnreadBytes limits the total, and closes the connections with the most until there is room', () => {
  const { noted, ended, enter } = open(1_000, 1_000);
  for (const name of ['ann', 'bob', 'cleo', 'dan']) enter(name, name, 240);
  enter('eve', 'eve', 300);
  expect(ended).toEqual(['eve', 'ann']);
  expect(noted).toEqual([
    ['unread_answers_of_all', { user_id: 'eve' }],
    ['unread_answers_of_all', { user_id: 'ann' }],
  ]);
});
