import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { BusUnavailableError } from '../port/bus-errors.js';
import type { BusLogger } from '../port/bus-logger.js';
import type { EventListeners } from '../port/event-listeners.js';
import { eventExchange, eventsQueue, exchanges } from '../port/topology.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';
import { declareExchanges, declareQueue } from './topology.adapter.js';

interface Following {
  bound: Promise<void>;
  confirm(): void;
  fail(error: Error): void;
}

export interface EventFollowerOptions {
  /** A connection that never publishes: a memory alarm would block its bindings too. */
  connection: SupervisedConnection;
  processId: string;
  listeners: EventListeners;
  logger: BusLogger;
}

/** The exclusive events queue of this process and its bindings, restored after reconnects. */
export class EventFollower {
  private readonly channel: SupervisedChannel;
  private readonly following = new Map<string, Following>();
  /** The channel and queue for bindings. Set even while a new channel is still restoring older bindings. */
  private binding?: { channel: Channel; queue: string };
  private hadChannel = false;

  constructor(private readonly options: EventFollowerOptions) {
    this.channel = new SupervisedChannel(options.connection, {
      name: 'events',
      open: (model) => model.createChannel(),
      setUp: (channel, model) => this.setUp(channel, model),
      onLost: () => (this.binding = undefined),
      logger: options.logger,
    });
  }

  start(): Promise<void> {
    return this.channel.build();
  }

  follow(conversationId: string): Promise<void> {
    let following = this.following.get(conversationId);
    if (!following) {
      following = newFollowing();
      this.following.set(conversationId, following);
      void this.bind(conversationId, following);
    }
    return following.bound;
  }

  unfollow(conversationId: string): void {
    if (!this.following.delete(conversationId) || !this.binding) return;
    const { channel, queue } = this.binding;
    channel.unbindQueue(queue, eventExchange(conversationId), conversationId).catch(() => undefined);
  }

  /** Fails the bindings that callers still wait for. */
  close(): void {
    for (const following of this.following.values())
      following.fail(new BusUnavailableError('the bus was closed'));
    this.following.clear();
  }

  private async setUp(channel: Channel, model: ChannelModel): Promise<void> {
    const { connection, processId, listeners, logger } = this.options;
    const queue = eventsQueue(processId, connection.id);
    await declareExchanges(model, exchanges.events, logger);
    await declareQueue(model, queue, logger);
    await channel.consume(queue.name, (message) => this.receive(channel, message), {
      noAck: true,
      exclusive: true,
    });
    this.binding = { channel, queue: queue.name };
    await Promise.all([...this.following].map(([id, following]) => this.bind(id, following)));
    if (this.hadChannel) listeners.notifyGap();
    this.hadChannel = true;
  }

  /** A binding fails only when its channel closes; the next channel binds again. */
  private async bind(conversationId: string, following: Following): Promise<void> {
    if (!this.binding) return;
    const { channel, queue } = this.binding;
    await channel.bindQueue(queue, eventExchange(conversationId), conversationId).then(
      () => following.confirm(),
      () => undefined,
    );
  }

  private receive(channel: Channel, message: ConsumeMessage | null): void {
    if (!message) this.channel.rebuild(channel);
    // A binding may have outlived its channel.
    else if (this.following.has(message.fields.routingKey))
      this.options.listeners.notifyEvent(message.content);
  }
}

function newFollowing(): Following {
  let confirm!: () => void;
  let fail!: (error: Error) => void;
  const bound = new Promise<void>((resolve, reject) => {
    confirm = resolve;
    fail = reject;
  });
  // Callers that wait get the rejection; without callers it must not count as unhandled.
  bound.catch(() => undefined);
  return { bound, confirm, fail };
}
