import { connect, type Channel, type ChannelModel } from 'amqplib';
import { settledWithin, within, type Clock } from '#time';
import type { BrokerNames } from '../port/broker-names.js';
import { codeOf, toSetupError } from './broker-error.js';
import { parseBrokerUrl } from './broker-url.js';
import { socketOf } from './connection.adapter.js';
import { onOwnChannel } from './topology.adapter.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** A leaderless queue or a hung broker never answers. */
const ANSWER_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
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
  const { href, place } = parseBrokerUrl(url);
  let model: ChannelModel | undefined;
  try {
    const properties = { connection_name: 'switchyard doctor' };
    model = await connect(href, { timeout: CONNECT_TIMEOUT_MS, clientProperties: properties });
    // The pending question rejects, too.
    model.on('error', () => undefined);
    return { place, ...(await look(model, clock, names)) };
  } catch (error) {
    throw toSetupError(place, error);
  } finally {
    if (model) await close(model, clock);
  }
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

async function close(model: ChannelModel, clock: Clock): Promise<void> {
  // An async function, because a connection that is gone throws at once.
  const closing = (async () => model.close())();
  await settledWithin(clock, closing, CLOSE_TIMEOUT_MS);
  // A broker that hangs never confirms. The error ends what amqplib keeps, its heartbeat above all: it would keep this
  // process alive.
  socketOf(model).destroy(new Error('connection given up'));
}
