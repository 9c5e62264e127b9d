import { within, type Clock } from '#time';
import type { BrokerNames } from '../port/broker-names.js';
import { onOwnChannel } from './topology.adapter.js';
import { ANSWER_TIMEOUT_MS, withBroker } from './with-broker.adapter.js';

/**
 * Connects and deletes these queues and exchanges, with the messages in them; those that are missing are no error.
 * Throws `BusSetupError` with a clear sentence.
 */
export async function removeFromBroker(
  url: string,
  clock: Clock,
  { exchanges, queues }: BrokerNames,
): Promise<void> {
  await withBroker(url, clock, 'switchyard removal', async (model) => {
    const removing = onOwnChannel(model, async (channel) => {
      for (const name of queues) await channel.deleteQueue(name);
      for (const name of exchanges) await channel.deleteExchange(name);
    });
    await within(clock, removing, ANSWER_TIMEOUT_MS);
  });
}
