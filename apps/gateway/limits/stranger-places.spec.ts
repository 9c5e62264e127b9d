import { describe, expect, it } from '@jest/globals';
import { StrangerPlaces } from './stranger-places.js';

const enterTimes = (places: StrangerPlaces, address: string, times: number) =>
  Array.from({ length: times }, () => places.enter(address));

describe('StrangerPlaces', () => {
  it('allows one address half of the places and one more, then only its share', () => {
    const places = new StrangerPlaces({ places: 10, perAddress: 2 });
    const entered = enterTimes(places, '192.0.2.1', 8);
    expect(entered.filter((entry) => typeof entry === 'function')).toHaveLength(6);
    expect(entered.slice(6)).toEqual(['address', 'address']);
    const other = enterTimes(places, '192.0.2.2', 3);
    expect(other.map((entry) => typeof entry)).toEqual(['function', 'function', 'string']);
  });

  it('refuses every address when all places are taken', () => {
    const places = new StrangerPlaces({ places: 3, perAddress: 3 });
    enterTimes(places, '192.0.2.1', 3);
    expect(places.enter('192.0.2.2')).toBe('full');
  });

  it('counts the addresses of one IPv6 /64 as one', () => {
    const places = new StrangerPlaces({ places: 3, perAddress: 1 });
    enterTimes(places, '2001:db8::1', 2);
    expect(places.enter('2001:db8::2')).toBe('address');
  });

  it('frees each place once', () => {
    const places = new StrangerPlaces({ places: 2, perAddress: 2 });
    const [leave] = enterTimes(places, '192.0.2.1', 2) as (() => void)[];
    leave!();
    leave!();
    expect(places.size).toBe(1);
    expect(typeof places.enter('192.0.2.1')).toBe('function');
    expect(places.enter('192.0.2.1')).toBe('full');
  });
});
