import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'socket.io';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { Feeds } from '../feeds/feeds.js';
import type { User } from '../people/auth/user.js';
import { SocketSessions } from './socket-sessions.js';

/** A socket that remembers what it was told. */
class ToldSocket extends EventEmitter {
  readonly told: string[] = [];
  readonly conn = { writeBuffer: [], close: () => undefined };
  constructor(readonly data: { user: User }) {
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

let world: VirtualClock;
let clock: ReturnType<VirtualClock['view']>;
let isActive: () => Promise<boolean>;
let asked = 0;
function begin(expiresAtMs?: number) {
  const sessions = new SocketSessions({} as Feeds, {
    clock,
    maxJoined: 1,
    count: () => undefined,
    isActive: () => {
      asked++;
      return isActive();
    },
  });
  const told = new ToldSocket({ user: { id: 'ann', isOperator: false, roles: [], expiresAtMs } });
  const socket = told as unknown as Socket;
  sessions.begin(socket);
  return { sessions, socket, told: told.told };
}

beforeEach(() => {
  world = new VirtualClock(new SeededRandom(1));
  clock = world.view();
  asked = 0;
  isActive = async () => true;
});

describe('SocketSessions', () => {
  it('closes a connection when its token expires, even after days', async () => {
    const endsAt = clock.wall() + 40 * 86_400_000;
    const { told } = begin(endsAt);
    await world.advance(3_600_000);
    // The host sleeps for most of the days.
    clock.freeze({ host: true });
    await world.advance(endsAt - 45_000 - clock.wall());
    clock.thaw();
    await world.advance(44_999);
    expect(told).toEqual([]);
    await world.advance(1);
    expect(told).toEqual(['token_expired', 'disconnect']);
  });

  it('closes the connection of a user who lost access within half a minute', async () => {
    const { told } = begin(clock.wall() + 3_600_000);
    await world.advance(60_000);
    isActive = async () => false;
    await world.advance(19_999);
    expect(told).toEqual([]);
    await world.advance(1);
    expect(told).toEqual(['token_expired', 'disconnect']);
  });

  it('closes no connection while the store is unavailable', async () => {
    isActive = () => Promise.reject(new Error('away'));
    const { told } = begin(clock.wall() + 3_600_000);
    await world.advance(300_000);
    expect([asked, told]).toEqual([15, []]);
  });

  it('stops checking once the connection has closed, and never checks without a token', async () => {
    const { sessions, socket } = begin(clock.wall() + 3_600_000);
    sessions.end(socket);
    begin();
    await world.advance(300_000);
    expect(asked).toBe(0);
  });
});
