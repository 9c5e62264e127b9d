import { describe, expect, it } from '@jest/globals';
import { SystemClock, systemTime } from '#time';
import { describeBusContract } from '../testing/bus-contract.js';
import { toolCall } from '../testing/sample-messages.js';
import { createMemoryBus } from './memory-bus.adapter.js';
import { MemoryBroker } from './memory-broker.js';

describeBusContract('memory', async () => {
  const broker = new MemoryBroker(new SystemClock());
  return {
    createBus: () => createMemoryBus({ broker, ...systemTime() }),
    publishBytes: async (queue, content, messageId) => void broker.publish(queue, content, messageId),
    makeShortQueue: async (queue, maxLength) => void broker.declareQueue(queue, maxLength),
    close: async () => undefined,
  };
});

describe('the memory bus', () => {
  it('delivers a long queue of messages in order', async () => {
    const bus = createMemoryBus({ broker: new MemoryBroker(new SystemClock()), ...systemTime() });
    await bus.open();
    const consumer = await bus.consume('tools.many', { prefetch: 1 }, async () => 'ack');
    await consumer.stop(0);
    const sent = Array.from({ length: 20_000 }, toolCall);
    for (const message of sent) await bus.publish('tools.many', message);
    const received: string[] = [];
    const done = new Promise<void>((resolve) => {
      void bus.consume('tools.many', { prefetch: 100 }, async ({ message }) => {
        if (received.push(message.id) === sent.length) resolve();
        return 'ack';
      });
    });
    await done;
    expect(received).toEqual(sent.map(({ id }) => id));
    await bus.close();
  });
});
