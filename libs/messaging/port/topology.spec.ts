import { describe, expect, it } from '@jest/globals';
import {
  commandQueue,
  controlQueue,
  deadLetterQueue,
  eventExchange,
  eventsQueue,
  exchanges,
  kindOfQueue,
} from './topology.js';

// Pinned: processes of two versions, and queues made by the older, meet on one broker.
describe('topology', () => {
  it('has the expected exchanges', () => {
    expect(exchanges).toEqual({
      commands: 'switchyard.commands',
      control: 'switchyard.control',
      dead: 'switchyard.dead',
      events: [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `switchyard.events.${index}`),
    });
  });

  it('has command queues with frozen arguments, each with a route to `dead-letters`', () => {
    expect(commandQueue('tools.math')).toEqual({
      name: 'tools.math',
      durable: true,
      exclusive: false,
      arguments: {
        'x-queue-type': 'quorum',
        'x-delivery-limit': 20,
        'x-dead-letter-exchange': 'switchyard.dead',
        'x-dead-letter-routing-key': 'tools.math',
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
        'x-max-length': 100_000,
      },
      bindings: [
        { queue: 'tools.math', exchange: 'switchyard.commands', key: 'tools.math' },
        { queue: 'dead-letters', exchange: 'switchyard.dead', key: 'tools.math' },
      ],
    });
    expect(deadLetterQueue.arguments).toEqual({
      'x-queue-type': 'quorum',
      'x-delivery-limit': 2_147_483_647,
    });
  });

  it('has a control queue for each connection of a process', () => {
    const queue = controlQueue({ role: 'worker', processId: 'worker-1b' }, 'c0ffee');
    expect(queue).toMatchObject({ name: 'worker.1b.control.c0ffee', durable: false, exclusive: true });
    expect(queue.arguments).toMatchObject({ 'x-overflow': 'reject-publish', 'x-max-length': 10_000 });
    expect(queue.bindings.map(({ exchange, key }) => [exchange, key])).toEqual([
      ['switchyard.control', 'worker.1b'],
      ['switchyard.control', 'worker.all'],
    ]);
  });

  it('has an events queue for each connection of a gateway', () => {
    const queue = eventsQueue('gateway-1b', 'c0ffee');
    expect(queue).toMatchObject({ name: 'gateway.1b.events.c0ffee', exclusive: true });
    expect(queue.arguments).toMatchObject({ 'x-overflow': 'drop-head', 'x-max-length': 50_000 });
  });

  it.each([
    ['turns', 'turns'],
    ['results', 'results'],
    ['tools.math', 'tools'],
    ['tools.', undefined],
    ['tools.a.b', undefined],
    ['dead-letters', undefined],
    ['control', undefined],
  ])('knows the kind of messages in %s', (name, kind) => {
    expect(kindOfQueue(name)).toBe(kind);
  });

  it('distributes conversations over the event exchanges by the same hash everywhere', () => {
    // Test vectors of 32-bit FNV-1a: 811c9dc5, e40c292c, bf9cf968.
    expect(['', 'a', 'foobar'].map(eventExchange).map((name) => name.at(-1))).toEqual(['5', '4', '0']);
    const counts = new Map<string, number>();
    for (let index = 0; index < 8_000; index++) {
      const exchange = eventExchange(`conversation-${index}`);
      counts.set(exchange, (counts.get(exchange) ?? 0) + 1);
    }
    expect(counts.size).toBe(8);
    for (const count of counts.values()) expect(count).toBeGreaterThan(800);
  });
});
