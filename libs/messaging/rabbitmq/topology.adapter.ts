import type { Channel, ChannelModel } from 'amqplib';
import type { BusLogger } from '../port/bus-logger.js';
import {
  commandQueue,
  deadLetterQueue,
  exchanges,
  sharedQueues,
  type QueueDefinition,
} from '../port/topology.js';
import { codeOf, textOf } from './broker-error.js';

const PRECONDITION_FAILED = '406';

/** Runs `work` on a separate channel: a refusal by the broker closes only that one. */
export async function onOwnChannel<T>(
  model: ChannelModel,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  const channel = await model.createChannel();
  // The pending call rejects too.
  channel.on('error', () => undefined);
  try {
    return await work(channel);
  } finally {
    // Not awaited: amqplib gives no answer when the connection breaks at that moment.
    void channel.close().catch(() => undefined);
  }
}

/** Declares everything that commands and control messages need, whichever process consumes them. */
export async function declareTopology(model: ChannelModel, logger: BusLogger): Promise<void> {
  await declareExchanges(model, [exchanges.control, ...exchanges.events], logger);
  for (const name of sharedQueues) await declareCommandQueue(model, name, logger);
}

/** Declares the queue with its exchanges and the dead-letter queue. */
export async function declareCommandQueue(
  model: ChannelModel,
  name: string,
  logger: BusLogger,
): Promise<void> {
  await declareExchanges(model, [exchanges.commands, exchanges.dead], logger);
  await declareQueue(model, deadLetterQueue, logger);
  await declareQueue(model, commandQueue(name), logger);
}

export async function declareExchanges(
  model: ChannelModel,
  names: readonly string[],
  logger: BusLogger,
): Promise<void> {
  for (const name of names) {
    await declareOrAccept(model, name, logger, {
      declare: (channel) => channel.assertExchange(name, 'direct', { durable: true }),
      check: (channel) => channel.checkExchange(name),
    });
  }
}

export async function declareQueue(
  model: ChannelModel,
  queue: QueueDefinition,
  logger: BusLogger,
): Promise<void> {
  const { name, durable, exclusive } = queue;
  await declareOrAccept(model, name, logger, {
    declare: (channel) => channel.assertQueue(name, { durable, exclusive, arguments: queue.arguments }),
    check: (channel) => channel.checkQueue(name),
  });
  if (queue.bindings.length === 0) return;
  await onOwnChannel(model, async (channel) => {
    for (const binding of queue.bindings) {
      await channel.bindQueue(binding.queue, binding.exchange, binding.key);
    }
  });
}

/**
 * A declaration cannot change an existing queue or exchange, so the arguments of an operator or an older version are
 * accepted.
 */
async function declareOrAccept(
  model: ChannelModel,
  name: string,
  logger: BusLogger,
  { declare, check }: Record<'declare' | 'check', (channel: Channel) => Promise<unknown>>,
): Promise<void> {
  try {
    await onOwnChannel(model, declare);
  } catch (error) {
    if (codeOf(error) !== PRECONDITION_FAILED) throw error;
    await onOwnChannel(model, check);
    logger.warn({ name, reason: textOf(error) }, 'exists with other arguments, used unchanged');
  }
}
