import type { Channel, ChannelModel } from 'amqplib';
import { within, type Clock } from '#time';
import type { BrokerNames } from '../port/broker-names.js';
import { codeOf } from './broker-error.js';
import { onOwnChannel } from './topology.adapter.js';
import { ANSWER_TIMEOUT_MS, withBroker } from './with-broker.adapter.js';

const NOT_FOUND = '404';

export interface BrokerState {
  /** `host:port/vhost`. */
  place: string;
  missing: { exchanges: string[]; queues: string[] };
  /** The queues that exist, by name. */
  queues: Map<string, { messages: number; consumers: number }>;
}

/**
 * Connects and looks which of these exchanges and queues exist. Declares nothing, and needs no rights. Throws
 * `BusSetupError` with a clear sentence.
 */
export async function inspectBroker(url: string, clock: Clock, names: BrokerNames): Promise<BrokerState> {
  return withBroker(url, clock, 'switchyard doctor', async (model, place) => ({
    place,
    ...(await look(model, clock, names)),
  }));
}

async function look(
  model: ChannelModel,
  clock: Clock,
  { exchanges, queues }: BrokerNames,
): Promise<Omit<BrokerState, 'place'>> {
  const state: Omit<BrokerState, 'place'> = { missing: { exchanges: [], queues: [] }, queues: new Map() };
  const exists = async <T>(check: (channel: Channel) => Promise<T>): Promise<T | undefined> => {
    try {
      return await within(clock, onOwnChannel(model, check), ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return undefined;
      throw error;
    }
  };
  for (const name of exchanges)
    if (!(await exists((channel) => channel.checkExchange(name)))) state.missing.exchanges.push(name);
  for (const name of queues) {
    const found = await exists((channel) => channel.checkQueue(name));
    if (!found) state.missing.queues.push(name);
    else state.queues.set(name, { messages: found.messageCount, consumers: found.consumerCount });
  }
  return state;
}
