import { encodeMessage, type ConversationEvent, type Message, type Role } from '#contracts';
import type { Time } from '#time';
import { silentLogger, type BusLogger } from '../port/bus-logger.js';
import type { Bus, Consumer, DeadDelivery, Handler, PublishOutcome } from '../port/bus.port.js';
import { deliverCommand, deliverControl, deliverDead, describeDeath } from '../port/deliver.js';
import { encodeEvent } from '../port/event-codec.js';
import { EventListeners } from '../port/event-listeners.js';
import { controlKeysOf } from '../port/topology.js';
import type { MemoryBroker } from './memory-broker.js';
import { MemoryConsumer, type MemoryHandler } from './memory-consumer.js';
import type { MemoryQueue, StoredMessage } from './memory-queue.js';

const DEAD_PREFETCH = 10;

export interface MemoryBusOptions extends Time {
  /** Shared by buses that play several processes. */
  broker: MemoryBroker;
  logger?: BusLogger;
}

/**
 * A bus within one process. Messages are encoded and decoded as if they crossed a network, so senders and receivers
 * share no objects.
 */
export function createMemoryBus(options: MemoryBusOptions): Bus {
  return new MemoryBus(options);
}

class MemoryBus implements Bus {
  private readonly consumers = new Set<MemoryConsumer>();
  private readonly controlListeners: { key: string; receive(content: Buffer): void }[] = [];
  private readonly followed = new Set<string>();
  private readonly listeners: EventListeners;
  private readonly broker: MemoryBroker;
  private readonly logger: BusLogger;
  private readonly time: Time;
  private openSince?: number;

  constructor({ broker, logger = silentLogger, ...time }: MemoryBusOptions) {
    this.broker = broker;
    this.logger = logger;
    this.time = time;
    this.listeners = new EventListeners(logger);
  }

  async open(): Promise<void> {
    this.openSince = this.time.clock.now();
    for (const consumer of this.consumers) consumer.start();
  }

  async close(): Promise<void> {
    this.openSince = undefined;
    for (const consumer of this.consumers) consumer.lose();
    this.consumers.clear();
    for (const { key, receive } of this.controlListeners) this.broker.unlisten(key, receive);
    for (const conversationId of this.followed) this.unfollow(conversationId);
  }

  isConnected(): boolean {
    return this.openSince !== undefined;
  }

  connectedForMs(): number {
    return this.openSince === undefined ? 0 : this.time.clock.now() - this.openSince;
  }

  takesMessages(): boolean {
    return this.isConnected();
  }

  async publish(queue: string, message: Message): Promise<PublishOutcome> {
    if (!this.isConnected()) return 'unknown';
    return this.broker.publish(queue, encodeMessage(message), message.id);
  }

  async consume(queue: string, { prefetch }: { prefetch: number }, handler: Handler): Promise<Consumer> {
    return this.startConsumer(this.broker.declareQueue(queue), prefetch, ({ content, returns }, hold) =>
      deliverCommand({ content, queue, redelivered: returns > 0, hold }, handler, this.logger),
    );
  }

  async consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer> {
    return this.startConsumer(this.broker.deadLetters, DEAD_PREFETCH, (message, hold) =>
      deliverDead(toDeadDelivery(message), handler, hold, { ...this.time, logger: this.logger }),
    );
  }

  async inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'> {
    const found = this.broker.findQueue(queue);
    return found ? { consumers: found.consumers, messages: found.length } : 'missing';
  }

  async send(key: string, message: Message): Promise<PublishOutcome> {
    return this.isConnected() ? this.broker.send(key, encodeMessage(message)) : 'unknown';
  }

  async onControl(
    identity: { role: Role; processId: string },
    handler: (message: Message) => void,
  ): Promise<void> {
    const receive = (content: Buffer): void => {
      if (this.isConnected()) deliverControl(content, handler, this.logger);
    };
    for (const key of controlKeysOf(identity)) {
      this.broker.listen(key, receive);
      this.controlListeners.push({ key, receive });
    }
  }

  emit(event: ConversationEvent): void {
    if (this.isConnected()) this.broker.emit(event.conversation_id, () => encodeEvent(event));
  }

  async follow(conversationId: string): Promise<void> {
    this.followed.add(conversationId);
    this.broker.follow(conversationId, this.receiveEvent);
  }

  unfollow(conversationId: string): void {
    this.followed.delete(conversationId);
    this.broker.unfollow(conversationId, this.receiveEvent);
  }

  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void {
    this.listeners.add(listener);
  }

  private readonly receiveEvent = (content: Buffer): void => {
    if (this.isConnected()) this.listeners.notifyEvent(content);
  };

  private startConsumer(queue: MemoryQueue, prefetch: number, handle: MemoryHandler): Consumer {
    const consumer = new MemoryConsumer(queue, prefetch, handle, this.time.clock);
    this.consumers.add(consumer);
    if (this.isConnected()) consumer.start();
    return {
      stop: async (graceMs) => {
        await consumer.stop(graceMs);
        this.consumers.delete(consumer);
      },
    };
  }
}

function toDeadDelivery({ content, messageId, death }: StoredMessage): DeadDelivery {
  const { queue, reason } = death ?? { queue: 'unknown', reason: 'unknown' };
  return { content, queue, reason: describeDeath(queue, reason, content), messageId };
}
