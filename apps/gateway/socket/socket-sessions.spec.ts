import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Socket } from 'socket.io';
import type { Feeds } from '../feeds/feeds.js';
import { SocketSessions } from './socket-sessions.js';

/** A socket that remembers what it was told. */
class ToldSocket extends EventEmitter {
  readonly told: string[] = [];
  readonly conn = { writeBuffer: [], close: () => undefined };
  constructor(readonly data: { user: { id: string; isOperator: boolean; expiresAtMs?: number } }) {
    super();
  }
  override emit(name: string): boolean {
    this.told.push(name);
    return true;
  }
  disconnect(): void {
    this.told.push('disconnect');
  }
}

let isActive: () => Promise<boolean>;
let asked = 0;
function begin(expiresAtMs?: number) {
  const sessions = new SocketSessions({} as Feeds, {
    maxJoined: 1,
    count: () => undefined,
    isActive: () => {
      asked++;
      return isActive();
    },
  });
  const told = new ToldSocket({ user: { id: 'ann', isOperator: false, expiresAtMs } });
  const socket = told as unknown as Socket;
  sessions.begin(socket);
  return { sessions, socket, told: told.told };
}

beforeEach(() => {
  jest.useFakeTimers();
  asked = 0;
  isActive = async () => true;
});
afterEach(() => void jest.useRealTimers());

describe('SocketSessions', () => {
  it('ends a connection when its token ends, after however many days', async () => {
    const endsAt = Date.now() + 40 * 86_400_000;
    const { told } = begin(endsAt);
    await jest.advanceTimersByTimeAsync(3_600_000);
    jest.setSystemTime(endsAt - 45_000);
    await jest.advanceTimersByTimeAsync(44_999);
    expect(told).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['token_expired', 'disconnect']);
  });

  it('ends the connection of who is shut out within half a minute', async () => {
    const { told } = begin(Date.now() + 3_600_000);
    await jest.advanceTimersByTimeAsync(60_000);
    isActive = async () => false;
    await jest.advanceTimersByTimeAsync(29_999);
    expect(told).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['token_expired', 'disconnect']);
  });

  it('shuts nobody out because the store is away', async () => {
    isActive = () => Promise.reject(new Error('away'));
    const { told } = begin(Date.now() + 3_600_000);
    await jest.advanceTimersByTimeAsync(300_000);
    expect([asked, told]).toEqual([10, []]);
  });

  it('asks no more once the connection has gone, or when there is no token', async () => {
    const { sessions, socket } = begin(Date.now() + 3_600_000);
    sessions.end(socket);
    begin();
    await jest.advanceTimersByTimeAsync(300_000);
    expect(asked).toBe(0);
  });
});
