import type { Channel, ChannelModel } from 'amqplib';
import type { Message, Role } from '#contracts';
import type { BusLogger } from '../port/bus-logger.js';
import { deliverControl } from '../port/deliver.js';
import { controlQueue, exchanges } from '../port/topology.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';
import { declareExchanges, declareQueue } from './topology.adapter.js';

export interface ControlListenerOptions {
  connection: SupervisedConnection;
  identity: { role: Role; processId: string };
  handler(message: Message): void;
  logger: BusLogger;
}

/** Receives control messages on an exclusive queue, so messages to a dead process return to their sender. */
export class ControlListener {
  private readonly channel: SupervisedChannel;

  constructor(private readonly options: ControlListenerOptions) {
    this.channel = new SupervisedChannel(options.connection, {
      name: `control of ${options.identity.processId}`,
      open: (model) => model.createChannel(),
      setUp: (channel, model) => this.setUp(channel, model),
      logger: options.logger,
    });
  }

  start(): Promise<void> {
    return this.channel.build();
  }

  private async setUp(channel: Channel, model: ChannelModel): Promise<void> {
    const { connection, identity, handler, logger } = this.options;
    const queue = controlQueue(identity, connection.id);
    await declareExchanges(model, [exchanges.control], logger);
    await declareQueue(model, queue, logger);
    const receive = (message: { content: Buffer } | null): void => {
      if (message) deliverControl(message.content, handler, logger);
      else this.channel.rebuild(channel);
    };
    // The queue dies with its process, so no consumer could receive a redelivery.
    await channel.consume(queue.name, receive, { noAck: true, exclusive: true });
  }
}
