import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { Stranger } from './unknown-sockets.js';
import { UnknownSockets } from './unknown-sockets.js';

const refused = { code: 'unavailable', retryAfterMs: 1_000 };

function somePlaces(places: number, perAddress = places) {
  const clock = new VirtualClock(new SeededRandom(1));
  const noted: string[] = [];
  const counted: number[] = [];
  /** Names, in this order. */
  const entered: string[] = [];
  const evicted: string[] = [];
  const refusals: Record<string, unknown> = {};
  const inside = new Map<string, Stranger>();
  const sockets = new UnknownSockets({
    limits: { places, perAddress },
    refusals: { note: (limit, about) => void noted.push(`${limit} ${String(about?.address)}`) },
    count: (size) => void counted.push(size),
    clock,
  });
  const enter = (address: string, name = address) => {
    const socket = new EventEmitter();
    sockets.enter(address, socket).then(
      (stranger) => {
        entered.push(name);
        inside.set(name, stranger);
        stranger.evict = () => void evicted.push(name);
      },
      (error: unknown) => (refusals[name] = error),
    );
    return socket;
  };
  const pass = (ms = 0) => clock.advance(ms);
  const leave = (name: string) => inside.get(name)!.leave();
  return { clock, sockets, noted, counted, entered, evicted, refusals, enter, leave, pass };
}

describe('unauthenticated sockets', () => {
  it('have a fixed number of places, and each freed place goes to the next socket once', async () => {
    const { enter, leave, pass, entered, counted, noted } = somePlaces(2);
    for (const last of [1, 2, 3, 4]) enter(`192.0.2.${last}`, `${last}`);
    await pass();
    leave('1');
    leave('1');
    await pass();
    expect(entered).toEqual(['1', '2', '3']);
    expect([counted, noted]).toEqual([[1, 2, 1, 2], []]);
  });

  it('free their places when they close, and stop waiting', async () => {
    const { enter, pass, entered, noted } = somePlaces(1);
    const first = enter('192.0.2.1', 'first');
    const gone = enter('192.0.2.1', 'gone');
    enter('192.0.2.1', 'last');
    gone.emit('close');
    first.emit('close');
    await pass();
    expect([entered, noted]).toEqual([['first', 'last'], []]);
  });

  it('have no more than their share of a crowded pool per address', async () => {
    const { enter, leave, pass, entered } = somePlaces(4, 1);
    for (const name of ['a', 'b', 'c', 'd']) enter('192.0.2.1', name);
    enter('192.0.2.2', 'other');
    await pass();
    expect(entered).toEqual(['a', 'b', 'c', 'other']);
    leave('a');
    leave('b');
    await pass();
    expect(entered).toEqual(['a', 'b', 'c', 'other', 'd']);
  });

  it('make room for others when their time to authenticate is over, the oldest first', async () => {
    const { enter, pass, entered, evicted, noted } = somePlaces(2);
    enter('192.0.2.1', 'old');
    await pass(1_000);
    enter('192.0.2.2', 'young');
    enter('192.0.2.3', 'new');
    await pass(1_999);
    expect(evicted).toEqual([]);
    await pass(200);
    expect([evicted, entered]).toEqual([['old'], ['old', 'young', 'new']]);
    expect(noted).toEqual(['unknown_sockets 192.0.2.1']);
  });

  it('from a crowded address make room only for each other', async () => {
    const { enter, pass, evicted } = somePlaces(4, 1);
    enter('192.0.2.9', 'other');
    for (let count = 0; count < 2; count++) enter('192.0.2.1', `first ${count}`);
    await pass(3_000);
    enter('192.0.2.1', 'new');
    await pass();
    expect(evicted).toEqual(['first 0']);
  });

  it('that return wait behind those that free their places', async () => {
    const { enter, leave, pass, entered } = somePlaces(1);
    enter('192.0.2.1', 'silent');
    for (const name of ['ann', 'bob', 'cleo']) enter('192.0.2.1', name);
    await pass(3_000);
    enter('192.0.2.1', 'silent again');
    for (const name of ['ann', 'bob', 'cleo']) {
      leave(name);
      await pass();
    }
    expect(entered).toEqual(['silent', 'ann', 'bob', 'cleo', 'silent again']);
  });

  it('take turns by address', async () => {
    const { enter, leave, pass, entered } = somePlaces(1);
    enter('192.0.2.1', 'a1');
    for (const name of ['a2', 'a3']) enter('192.0.2.1', name);
    enter('192.0.2.2', 'b1');
    await pass();
    for (const name of ['a1', 'a2', 'b1']) {
      leave(name);
      await pass();
    }
    expect(entered).toEqual(['a1', 'a2', 'b1', 'a3']);
  });
});

describe('sockets that wait for a place', () => {
  it('are limited: the newest of the address with the most is refused', async () => {
    const { enter, pass, refusals, noted } = somePlaces(1);
    enter('192.0.2.1', 'inside');
    for (let count = 1; count <= 4; count++) enter('192.0.2.1', `waiting ${count}`);
    enter('192.0.2.2', 'other');
    await pass();
    expect(refusals).toEqual({ 'waiting 4': expect.objectContaining(refused) });
    expect(noted).toEqual(['unknown_sockets 192.0.2.1']);
  });

  it('are refused after ten seconds', async () => {
    const { sockets, pass, noted } = somePlaces(1);
    const socket = new EventEmitter();
    // Its connection is never made, so it cannot be ended.
    await sockets.enter('192.0.2.1', socket);
    const waited = sockets.enter('192.0.2.2', socket).catch((error: unknown) => error);
    await pass(9_999);
    expect(noted).toEqual([]);
    await pass(1);
    expect([await waited, noted]).toEqual([expect.objectContaining(refused), ['unknown_sockets 192.0.2.2']]);
  });

  it('are refused when the process stops, as are those that arrive later', async () => {
    const { clock, sockets, enter, pass, refusals } = somePlaces(1);
    enter('192.0.2.1', 'inside');
    enter('192.0.2.1', 'waiting');
    sockets.stop();
    enter('192.0.2.1', 'late');
    await pass();
    expect(Object.keys(refusals).sort()).toEqual(['late', 'waiting']);
    await pass(60_000);
    expect(clock.ran).toBe(0);
  });
});

it('sockets whose token is being checked do not compete for the places of idle ones', async () => {
  const { sockets, enter } = somePlaces(1);
  enter('192.0.2.1');
  let end = (_user: string): void => undefined;
  const check = () => new Promise<string>((resolve) => (end = resolve));
  const checked = sockets.whileChecked('192.0.2.2', check);
  await expect(sockets.whileChecked('192.0.2.3', check)).rejects.toMatchObject(refused);
  end('ann');
  expect(await checked).toBe('ann');
  await expect(sockets.whileChecked('192.0.2.3', async () => 'bob')).resolves.toBe('bob');
});
