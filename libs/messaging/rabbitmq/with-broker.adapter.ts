import { connect, type ChannelModel } from 'amqplib';
import { settledWithin, type Clock } from '#time';
import { toSetupError } from './broker-error.js';
import { parseBrokerUrl } from './broker-url.js';
import { socketOf } from './connection.adapter.js';

/** For one question to it. A leaderless queue or a hung broker never answers. */
export const ANSWER_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * A connection for one piece of work. `place` is `host:port/vhost`. Throws `BusSetupError` with a clear sentence.
 *
 * @param name of the connection, as the broker shows it
 */
export async function withBroker<T>(
  url: string,
  clock: Clock,
  name: string,
  work: (model: ChannelModel, place: string) => Promise<T>,
): Promise<T> {
  const { href, place } = parseBrokerUrl(url);
  let model: ChannelModel | undefined;
  try {
    model = await connect(href, { timeout: CONNECT_TIMEOUT_MS, clientProperties: { connection_name: name } });
    // The pending question rejects, too.
    model.on('error', () => undefined);
    return await work(model, place);
  } catch (error) {
    throw toSetupError(place, error);
  } finally {
    if (model) await close(model, clock);
  }
}

async function close(model: ChannelModel, clock: Clock): Promise<void> {
  // An async function, because a connection that is gone throws at once.
  const closing = (async () => model.close())();
  await settledWithin(clock, closing, CLOSE_TIMEOUT_MS);
  // A broker that hangs never confirms. The error ends what amqplib keeps, its heartbeat above all: it would keep this
  // process alive.
  socketOf(model).destroy(new Error('connection given up'));
}
