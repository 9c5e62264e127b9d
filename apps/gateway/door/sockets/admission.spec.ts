import { EventEmitter } from 'node:events';
import { expect, it, jest } from '@jest/globals';
import type { Socket } from 'socket.io';
import { SystemClock } from '#time';
import { MinuteLimit } from '../../limits/minute-limit.js';
import type { User } from '../../people/auth/user.js';
import { Admission } from './admission.js';
import { UserTraffic } from './user-traffic.js';

it('admission silently closes a connection that is still being checked when the drain begins', async () => {
  const clock = new SystemClock();
  let answer = (_user: User): void => undefined;
  const admission = new Admission({
    authenticate: () => new Promise<User>((resolve) => (answer = resolve)),
    rate: new MinuteLimit({ what: 'connections', perUser: 10, inAll: 10 }, clock),
    traffic: new UserTraffic({ socketsPerUser: 10, bytesPerMinute: 1_000 }, () => undefined, clock),
    signIn: 'token',
    drains: () => false,
    sockets: 10,
    count: () => 0,
    guard: { know: () => undefined },
    refusals: { note: () => undefined },
    log: { error: () => undefined },
  });
  const request = { headers: {}, url: '/socket.io/', socket: new EventEmitter() };
  const conn = { request, close: jest.fn(), transport: { socket: { terminate: jest.fn() } } };
  const socket = { conn, request, data: {}, handshake: { auth: {} } } as unknown as Socket;
  const next = jest.fn();
  admission.admit(socket, next);
  admission.close();
  answer({ id: 'user', isOperator: false, roles: [] });
  await new Promise(setImmediate);
  expect(conn.transport.socket.terminate).toHaveBeenCalledTimes(1);
  expect(next).not.toHaveBeenCalled();
});
