import { describe, expect, it } from '@jest/globals';
import { UnknownSockets } from './unknown-sockets.js';

const refused = expect.objectContaining({ code: 'unavailable', retryAfterMs: 1_000 });

function somePlaces(places: number, perAddress = places) {
  const clock = { now: 0 };
  const noted: string[] = [];
  const counted: number[] = [];
  const evicted: string[] = [];
  const sockets = new UnknownSockets({
    limits: { places, perAddress },
    refusals: { note: (limit, about) => void noted.push(`${limit} ${String(about?.address)}`) },
    count: (size) => void counted.push(size),
    now: () => clock.now,
  });
  const enter = (address: string, name = address) => {
    const stranger = sockets.enter(address);
    stranger.evict = () => void evicted.push(name);
    return stranger;
  };
  return { sockets, clock, noted, counted, evicted, enter };
}

describe('sockets whose users are not known', () => {
  it('have so many places, and one more when one is given back, once', () => {
    const { enter, noted, counted } = somePlaces(2);
    const first = enter('192.0.2.1');
    enter('192.0.2.2');
    expect(() => enter('192.0.2.3')).toThrow(refused);
    first.leave();
    first.leave();
    enter('192.0.2.3');
    expect(() => enter('192.0.2.4')).toThrow(refused);
    expect(noted).toEqual(['unknown_sockets 192.0.2.3', 'unknown_sockets 192.0.2.4']);
    expect(counted).toEqual([1, 2, 1, 2]);
  });

  it('have no more than their share of a crowded pool at one address', () => {
    const { enter, noted } = somePlaces(4, 1);
    for (let count = 0; count < 3; count++) enter('192.0.2.1');
    expect(() => enter('192.0.2.1')).toThrow(refused);
    enter('192.0.2.2');
    expect(noted).toEqual(['unknown_sockets_per_address 192.0.2.1']);
  });

  it('make room for a newcomer when they have had the time to say who they are, the oldest first', () => {
    const { enter, clock, evicted } = somePlaces(2);
    enter('192.0.2.1');
    clock.now = 1_000;
    enter('192.0.2.2');
    clock.now = 2_999;
    expect(() => enter('192.0.2.3')).toThrow(refused);
    clock.now = 3_000;
    enter('192.0.2.3');
    expect(() => enter('192.0.2.4')).toThrow(refused);
    expect(evicted).toEqual(['192.0.2.1']);
  });

  it('of a crowded address make room only for each other', () => {
    const { enter, clock, evicted } = somePlaces(4, 1);
    enter('192.0.2.9', 'other');
    for (let count = 0; count < 2; count++) enter('192.0.2.1', `first ${count}`);
    clock.now = 3_000;
    enter('192.0.2.1', 'new');
    expect(evicted).toEqual(['first 0']);
  });

  it('are not ended while their token is being checked, for which idle ones leave places', async () => {
    const { sockets, enter, clock } = somePlaces(1);
    enter('192.0.2.1');
    let end = (_user: string): void => undefined;
    const check = () => new Promise<string>((resolve) => (end = resolve));
    const checked = sockets.whileChecked('192.0.2.2', check);
    clock.now = 60_000;
    await expect(sockets.whileChecked('192.0.2.3', check)).rejects.toEqual(refused);
    end('ann');
    expect(await checked).toBe('ann');
    await expect(sockets.whileChecked('192.0.2.3', async () => 'bob')).resolves.toBe('bob');
  });
});
