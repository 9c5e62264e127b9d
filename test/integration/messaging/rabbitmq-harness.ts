import { connect, type ConfirmChannel } from 'amqplib';
import { commandQueue, createRabbitmqBus, exchanges, type BusLogger } from '#messaging';
import { systemTime } from '#time';
import type { BusHarness } from '../../../libs/messaging/testing/bus-contract.js';
import { rabbitmqForTest, type RabbitmqForTest } from '../../services/test-services.js';

export interface RabbitmqHarness extends BusHarness {
  broker: RabbitmqForTest;
  /** A plain confirm channel besides the bus, in the same vhost. */
  channel: ConfirmChannel;
}

/** Around a fresh vhost of the run's broker. */
export async function createRabbitmqHarness(logger?: BusLogger): Promise<RabbitmqHarness> {
  const broker = (await rabbitmqForTest())!;
  const connection = await connect(broker.url, { noDelay: true });
  connection.on('error', () => undefined);
  const channel = await connection.createConfirmChannel();
  return {
    broker,
    channel,
    createBus: (identity) => createRabbitmqBus({ ...systemTime(), url: broker.url, ...identity, logger }),
    publishBytes: async (queue, content, messageId) => {
      channel.publish(exchanges.commands, queue, content, { messageId, persistent: true });
      await channel.waitForConfirms();
    },
    makeShortQueue: async (queue, maxLength) => {
      // As an operator would have made it before: the bus works with what it finds.
      const { durable, arguments: frozen } = commandQueue(queue);
      await channel.assertQueue(queue, { durable, arguments: { ...frozen, 'x-max-length': maxLength } });
    },
    // The vhost may be gone already, and the connection with it.
    close: () => connection.close().catch(() => undefined),
  };
}
