import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { ConnectionGuard } from './connection-guard.js';
import type { EngineConnection } from './engine-connection.js';
import { UnreadBytes } from './unread-bytes.js';
import { UserTraffic } from './user-traffic.js';

/** A connection of Engine.IO that is told what its client sends, and whose close waits for ever. */
class FakeConnection extends EventEmitter {
  readonly request = { socket: new EventEmitter() };
  readonly writeBuffer: { data?: unknown }[] = [];
  readonly transport = { socket: { bufferedAmount: 0, terminate: () => void (this.isTerminated = true) } };
  isTerminated = false;
  isClosed = false;
  close(discard?: boolean): void {
    if (!discard || this.isClosed) return;
    this.isClosed = true;
    this.emit('close');
  }
  packets(data: string | Buffer, count = 1): void {
    for (let at = 0; at < count; at++) this.emit('packet', { type: 'message', data });
  }
  bytes(count: number): void {
    this.request.socket.emit('data', Buffer.alloc(count));
  }
  get isEnded(): boolean {
    return this.isTerminated && this.isClosed;
  }
}

function watched(bytesPerMinute = 1_000_000, perUser = Infinity) {
  const clock = new VirtualClock(new SeededRandom(1));
  const noted: unknown[] = [];
  const refusals = { note: (...args: unknown[]) => void noted.push(args) };
  const guard = new ConnectionGuard({
    traffic: new UserTraffic({ socketsPerUser: 1, bytesPerMinute }, () => undefined, clock),
    unread: new UnreadBytes({ perUser, inAll: Infinity }, refusals),
    refusals,
    clock,
  });
  const fake = new FakeConnection();
  const connection = fake as unknown as EngineConnection;
  const stranger = { address: '192.0.2.1', leave: jest.fn(), evict: undefined as (() => void) | undefined };
  guard.watch(connection, stranger);
  return { clock, fake, noted, stranger, know: () => guard.know(connection, 'ann') };
}

const UNKNOWN = { address: '192.0.2.1' };

describe('an unauthenticated connection', () => {
  it('is closed after ten seconds, regardless of traffic', async () => {
    const { clock, fake, noted } = watched();
    await clock.advance(9_999);
    expect(fake.isTerminated).toBe(false);
    await clock.advance(1);
    expect([fake.isEnded, noted]).toEqual([true, [['connect_timeout', UNKNOWN]]]);
  });

  it('may send a few packets', () => {
    const { fake, noted } = watched();
    fake.packets('1', 8);
    expect(fake.isTerminated).toBe(false);
    fake.packets('1');
    expect([fake.isEnded, noted]).toEqual([true, [['packets_of_unknown_socket', UNKNOWN]]]);
  });

  it('may send a few bytes, including pings and unfinished frames', () => {
    const { fake, noted } = watched();
    fake.bytes(60_000);
    fake.bytes(5_536);
    expect(fake.isTerminated).toBe(false);
    fake.bytes(1);
    expect([fake.isEnded, noted]).toEqual([true, [['bytes_of_unknown_socket', UNKNOWN]]]);
  });

  it('is closed when its place is needed', () => {
    const { fake, stranger } = watched();
    stranger.evict!();
    expect(fake.isEnded).toBe(true);
  });

  it('frees its place and has no deadline once it is authenticated', async () => {
    const { clock, fake, stranger, know } = watched();
    expect(stranger.leave).not.toHaveBeenCalled();
    know();
    expect(stranger.leave).toHaveBeenCalledTimes(1);
    await clock.advance(60_000);
    fake.packets('2["ping"]', 100);
    fake.bytes(100_000);
    expect(fake.isTerminated).toBe(false);
  });
});

describe('a guarded connection', () => {
  it('may connect to a few namespaces only, even when its user is known', () => {
    const { fake, noted, know } = watched();
    know();
    fake.packets('0/x,', 8);
    expect(fake.isTerminated).toBe(false);
    fake.packets('0/x,');
    expect([fake.isEnded, noted]).toEqual([true, [['connects_per_socket', { user_id: 'ann' }]]]);
  });

  it('cannot connect to more namespaces by writing the packet number in another way', () => {
    const { fake, noted, know } = watched();
    know();
    fake.packets(' /x,', 9);
    expect([fake.isEnded, noted]).toEqual([true, [['connects_per_socket', { user_id: 'ann' }]]]);
  });

  it.each([
    ['an attachment', Buffer.from('x')],
    ['an empty attachment', Buffer.alloc(0)],
    ['an event that announces attachments', '51-["x",{"_placeholder":true,"num":0}]'],
    ['an acknowledgement that announces attachments', '61-1[{"_placeholder":true,"num":0}]'],
  ])('is closed when it sends %s before its user is known, and stays open after that', (_what, data) => {
    const unknown = watched();
    unknown.fake.packets(data);
    expect([unknown.fake.isEnded, unknown.noted]).toEqual([true, [['binary_frames', UNKNOWN]]]);
    const { fake, noted, know } = watched();
    know();
    fake.packets(data);
    expect([fake.isTerminated, noted]).toEqual([false, []]);
  });

  it('is closed by an attachment above the size limit', () => {
    const { fake, noted, know } = watched();
    know();
    fake.packets(Buffer.alloc(8 * 1024));
    expect(fake.isTerminated).toBe(false);
    fake.packets(Buffer.alloc(8 * 1024 + 1));
    expect([fake.isEnded, noted]).toEqual([true, [['binary_frames', { user_id: 'ann' }]]]);
  });

  it('may answer keep-alive packets, which have no data', () => {
    const { fake, know } = watched();
    know();
    fake.emit('packet', { type: 'pong' });
    expect(fake.isTerminated).toBe(false);
  });

  it.each([
    ['1,024 packets', Array<{ data: string }>(1_024).fill({ data: '' }), 0],
    ['8 MiB', [{ data: 'x'.repeat(4 * 1024 * 1024) }], 4 * 1024 * 1024],
  ])('is closed when it sends a request while %s wait for it', (_what, unread, bufferedAmount) => {
    const { fake, noted, know } = watched();
    know();
    fake.transport.socket.bufferedAmount = bufferedAmount;
    fake.writeBuffer.push(...unread.slice(1));
    fake.packets('2["ping"]');
    expect(fake.isTerminated).toBe(false);
    fake.writeBuffer.push(unread[0]!);
    fake.packets('2["ping"]');
    expect([fake.isEnded, noted]).toEqual([true, [['unread_answers', { user_id: 'ann' }]]]);
  });

  it('is closed when it sends a request while too much waits for its user', () => {
    const { fake, noted, know } = watched(1_000_000, 100_000);
    know();
    fake.transport.socket.bufferedAmount = 100_000;
    fake.packets('2["ping"]');
    expect(fake.isTerminated).toBe(false);
    fake.transport.socket.bufferedAmount = 100_001;
    fake.packets('2["ping"]');
    expect([fake.isEnded, noted]).toEqual([true, [['unread_answers_per_user', { user_id: 'ann' }]]]);
  });

  it('is closed before a frame with more than 50,000 values is parsed', () => {
    const { fake, noted, know } = watched();
    know();
    fake.packets(`2["message",{"content":"${'{},'.repeat(100_000)}"}]`);
    fake.packets(`2["message",[${'{},'.repeat(47_000)}0]]`);
    expect(fake.isTerminated).toBe(false);
    fake.packets(`2["message",[${'{},'.repeat(50_001)}0]]`);
    expect([fake.isEnded, noted]).toEqual([true, [['values_per_frame', { user_id: 'ann' }]]]);
  });

  it('is closed when its user sends far too many bytes', () => {
    const { fake, noted, know } = watched(1_000);
    know();
    fake.bytes(2_000);
    expect(fake.isTerminated).toBe(false);
    fake.bytes(1);
    expect([fake.isEnded, noted]).toEqual([true, [['bytes_per_minute', { user_id: 'ann' }]]]);
  });

  it('is closed ten seconds later when it is asked to close and does not read', async () => {
    const { clock, fake, know } = watched();
    know();
    fake.close();
    await clock.advance(9_999);
    expect(fake.isTerminated).toBe(false);
    await clock.advance(1);
    expect(fake.isEnded).toBe(true);
  });

  it('leaves no timer behind when it has closed', async () => {
    const { clock, fake } = watched();
    fake.close();
    fake.close(true);
    await clock.advance(60_000);
    expect(clock.ran).toBe(0);
  });
});
