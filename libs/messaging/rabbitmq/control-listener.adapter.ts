import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { controlKey, encodeMessage, groupOf, type Message, type Role } from '#contracts';
import type { BusLogger } from '../port/bus-logger.js';
import { deliverControl } from '../port/deliver.js';
import type { BusObserver } from '../port/bus-observer.js';
import type { WorkerGroup } from '../port/ledger-topology.js';
import { controlQueue, exchanges } from '../port/topology.js';
import type { PublishOutcome } from '../port/bus.port.js';
import { originOf } from './origin.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';
import { listenToGroups } from './ledger-routes.adapter.js';
import { declareExchanges, declareQueue } from './topology.adapter.js';

export interface ControlListenerOptions {
  connection: SupervisedConnection;
  identity: { role: Role; processId: string };
  /** Whose requests to this process arrive here, too. */
  groups: readonly WorkerGroup[];
  handler(message: Message): void;
  logger: BusLogger;
  observer: BusObserver;
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

  get key(): string {
    return controlKey(this.options.identity.processId);
  }

  /** What a process tells itself does not travel. */
  tellSelf(message: Message): PublishOutcome {
    const { handler, logger } = this.options;
    void Promise.resolve().then(() => deliverControl(encodeMessage(message), handler, logger));
    return 'confirmed';
  }

  private async setUp(channel: Channel, model: ChannelModel): Promise<void> {
    const { connection, identity, handler, logger, observer } = this.options;
    const group = groupOf(identity.processId);
    const queue = controlQueue(identity, connection.id);
    // The credentials of a group may declare no exchange.
    if (group === undefined) await declareExchanges(model, [exchanges.control], logger);
    await declareQueue(model, queue, logger);
    await listenToGroups(model, { groups: this.options.groups, queue: queue.name, identity, logger });
    const receive = (message: ConsumeMessage | null): void => {
      if (!message) return this.channel.rebuild(channel);
      const { exchange } = message.fields;
      const origin = group === undefined ? originOf(exchange, observer) : undefined;
      deliverControl(message.content, handler, logger, origin);
    };
    // The queue dies with its process, so no consumer could receive a redelivery.
    await channel.consume(queue.name, receive, { noAck: true, exclusive: true });
  }
}
