import { connect, type Channel, type ChannelModel } from 'amqplib';
import { settledWithin, within, type Clock } from '#time';
import { deadLetterQueue, exchanges, sharedQueues } from '../port/topology.js';
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
  missingExchanges: string[];
  missingQueues: string[];
  /** Messages in the dead-letter queue: processes empty it at once. */
  deadLetters: number;
}

/**
 * Connects and looks which exchanges and queues exist, those of these toolsets, too. Declares nothing. Throws
 * `BusSetupError` with a clear sentence.
 */
export async function inspectBroker(
  url: string,
  clock: Clock,
  queuesOfToolsets: readonly string[] = [],
): Promise<BrokerState> {
  const { href, place } = parseBrokerUrl(url);
  let model: ChannelModel | undefined;
  try {
    const properties = { connection_name: 'switchyard doctor' };
    model = await connect(href, { timeout: CONNECT_TIMEOUT_MS, clientProperties: properties });
    // The pending question rejects, too.
    model.on('error', () => undefined);
    return { place, ...(await look(model, clock, queuesOfToolsets)) };
  } catch (error) {
    throw toSetupError(place, error);
  } finally {
    if (model) await close(model, clock);
  }
}

async function look(
  model: ChannelModel,
  clock: Clock,
  queuesOfToolsets: readonly string[],
): Promise<Omit<BrokerState, 'place'>> {
  const state: Omit<BrokerState, 'place'> = { missingExchanges: [], missingQueues: [], deadLetters: 0 };
  const exists = async <T>(check: (channel: Channel) => Promise<T>): Promise<T | undefined> => {
    try {
      return await within(clock, onOwnChannel(model, check), ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return undefined;
      throw error;
    }
  };
  const { commands, control, dead, events } = exchanges;
  for (const name of [commands, control, dead, ...events])
    if (!(await exists((channel) => channel.checkExchange(name)))) state.missingExchanges.push(name);
  for (const name of [...sharedQueues, deadLetterQueue.name, ...queuesOfToolsets]) {
    const found = await exists((channel) => channel.checkQueue(name));
    if (!found) state.missingQueues.push(name);
    else if (name === deadLetterQueue.name) state.deadLetters = found.messageCount;
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
