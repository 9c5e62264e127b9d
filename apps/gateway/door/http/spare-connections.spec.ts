import { describe, expect, it } from '@jest/globals';
import { SpareConnections } from './spare-connections.js';

class Played {
  isOpen = true;
  destroy(): void {
    this.isOpen = false;
  }
}

function create(places: number, perAddress: number) {
  const closed: [string, string | undefined][] = [];
  const spare = new SpareConnections({ places, perAddress }, (...why) => closed.push(why));
  const add = (address: string | undefined, count = 1) =>
    Array.from({ length: count }, () => {
      const connection = new Played();
      spare.add(connection, address);
      return connection;
    });
  return { spare, add, closed };
}

const openOf = (connections: Played[]) => connections.map(({ isOpen }) => isOpen);

describe('SpareConnections', () => {
  it('closes the oldest for a new one when every place is taken', () => {
    const { spare, add, closed } = create(3, 3);
    const first = add('192.0.2.1', 2);
    const later = [...add('192.0.2.2', 1), ...add('192.0.2.3', 2)];
    expect([...openOf(first), ...openOf(later)]).toEqual([false, false, true, true, true]);
    expect(spare.size).toBe(3);
    expect(closed).toEqual([
      ['idle_connections', '192.0.2.1'],
      ['idle_connections', '192.0.2.1'],
    ]);
  });

  it('closes the oldest of an address that has used its share of a crowded gateway', () => {
    const { add, closed } = create(10, 2);
    const [other] = add('192.0.2.1');
    const greedy = add('192.0.2.2', 8);
    expect(other!.isOpen).toBe(true);
    expect(openOf(greedy).filter(Boolean)).toHaveLength(5);
    expect(openOf(greedy).slice(0, 3)).toEqual([false, false, false]);
    expect(closed[0]).toEqual(['idle_connections_per_address', '192.0.2.2']);
  });

  it('applies no limit per address while at most half of the places are taken', () => {
    const { add, closed } = create(10, 1);
    add('192.0.2.1', 6);
    expect(closed).toEqual([]);
  });

  it('counts the connections of a trusted proxy only in the total', () => {
    const { add, closed } = create(4, 1);
    add(undefined, 4);
    expect(closed).toEqual([]);
    add(undefined);
    expect(closed).toEqual([['idle_connections', undefined]]);
  });

  it('keeps a connection that is in use', () => {
    const { spare, add } = create(2, 2);
    const [used] = add('192.0.2.1');
    spare.delete(used!);
    spare.delete(used!);
    add('192.0.2.2', 3);
    expect(used!.isOpen).toBe(true);
    expect(spare.size).toBe(2);
  });
});
