import type { ConsumeMessage } from 'amqplib';
import { groupOf, type ConversationEvent, type Message, type Role } from '#contracts';
import { onDropConnection } from '#faults';
import { within, type Time } from '#time';
import { BusSetupError, BusUnavailableError } from '../port/bus-errors.js';
import { silentLogger, type BusLogger } from '../port/bus-logger.js';
import { silentObserver, type BusConnection, type BusObserver } from '../port/bus-observer.js';
import type { Bus, Consumer, DeadDelivery, Handler, PublishOutcome } from '../port/bus.port.js';
import { deliverCommand, deliverDead, type Verdict } from '../port/deliver.js';
import { EventListeners } from '../port/event-listeners.js';
import type { WorkerGroup } from '../port/ledger-topology.js';
import { deadLetterQueue, exchanges, kindOfQueue } from '../port/topology.js';
import { originOf } from './origin.js';
import { codeOf, textOf, toSetupError } from './broker-error.js';
import { parseBrokerUrl, type BrokerUrl } from './broker-url.js';
import { SupervisedConnection } from './connection.adapter.js';
import { ControlListener } from './control-listener.adapter.js';
import { REASON_HEADER, toDeadDelivery } from './dead-delivery.adapter.js';
import { EventEmitter } from './event-emitter.adapter.js';
import { EventFollower } from './event-follower.adapter.js';
import { Publisher } from './publisher.adapter.js';
import { QueueConsumer, type QueueConsumerOptions } from './queue-consumer.adapter.js';
import { routesOf, type Routes } from './routes.adapter.js';
import { declareTopology, onOwnChannel } from './topology.adapter.js';

const NOT_FOUND = '404';
/** Prefetch for dead letters: storing them is quick and nobody waits. */
const DEAD_PREFETCH = 10;
/** A leaderless queue or a hung broker never answers, and callers must not wait. */
const INSPECT_TIMEOUT_MS = 5_000;

export interface RabbitmqBusOptions extends Time {
  /** `amqp://user:password@host:port/vhost`; never logged. */
  url: string;
  processId: string;
  role: Role;
  /** The groups of workers whose ledger this process serves. */
  groups?: readonly WorkerGroup[];
  logger?: BusLogger;
  observer?: BusObserver;
}

/** Creates a bus. A bus that failed to open or was closed cannot be opened again; create another one. */
export function createRabbitmqBus(options: RabbitmqBusOptions): Bus {
  return new RabbitmqBus(options);
}

class RabbitmqBus implements Bus {
  private readonly url: BrokerUrl;
  private readonly logger: BusLogger;
  private readonly observer: BusObserver;
  private readonly publishing: SupervisedConnection;
  /** Never publishes: a broker alarm blocks publishing connections, including their acknowledgements and bindings. */
  private readonly consuming: SupervisedConnection;
  private readonly emitting: SupervisedConnection;
  private readonly routes: Routes;
  private readonly publisher: Publisher;
  /** Absent where events are not this process's. */
  private readonly emitter: EventEmitter | undefined;
  private readonly listeners: EventListeners;
  private follower?: EventFollower;
  /** Once it listens. */
  private control?: ControlListener;

  constructor(private readonly options: RabbitmqBusOptions) {
    this.logger = options.logger ?? silentLogger;
    this.observer = options.observer ?? silentObserver;
    this.url = parseBrokerUrl(options.url);
    this.publishing = this.connection('publishing');
    this.consuming = this.connection('consuming');
    this.emitting = this.connection('events');
    this.routes = routesOf(options.processId, options.groups ?? []);
    this.publisher = new Publisher(this.publishing, this.routes, this.logger);
    this.emitter = this.routes.isRestricted ? undefined : new EventEmitter(this.emitting, this.logger);
    this.listeners = new EventListeners(this.logger);
  }

  async open(): Promise<void> {
    const opened = await Promise.allSettled(this.connections().map((connection) => connection.open()));
    const failed = opened.find((result) => result.status === 'rejected');
    if (!failed) await Promise.all([this.publisher.start(), this.emitter?.start()]);
    const error: unknown = failed?.reason ?? this.publisher.lastError ?? this.emitter?.lastError;
    if (error === undefined && this.isConnected()) {
      onDropConnection(() => this.connections().forEach((connection) => connection.drop()));
      return;
    }
    await this.close();
    throw error === undefined
      ? new BusSetupError('the connection to RabbitMQ broke')
      : toSetupError(this.url.place, error);
  }

  async close(): Promise<void> {
    this.follower?.close();
    await Promise.all(this.connections().map((connection) => connection.close()));
  }

  isConnected(): boolean {
    const areUp = this.connections().every((connection) => connection.upSince !== undefined);
    return areUp && this.publisher.isReady && this.emitter?.isReady !== false;
  }

  takesMessages(): boolean {
    const { isStalled, isSilent } = this.publisher;
    return this.isConnected() && !isStalled && !isSilent && !this.emitting.isBlocked;
  }

  connectedForMs(): number {
    if (!this.isConnected()) return 0;
    return (
      this.options.clock.now() - Math.max(...this.connections().map((connection) => connection.upSince ?? 0))
    );
  }

  publish(queue: string, message: Message): Promise<PublishOutcome> {
    return this.publisher.publish(this.routes.toQueue(queue), message);
  }

  async send(controlKey: string, message: Message): Promise<PublishOutcome> {
    if (controlKey === this.control?.key) return this.control.tellSelf(message);
    // A broker alarm says nothing about the receiver, so it must not make the receiver suspect.
    if (this.publisher.isStalled) return 'unknown';
    return this.publisher.publish(this.routes.toProcess(controlKey), message);
  }

  async consume(queue: string, { prefetch }: { prefetch: number }, handler: Handler): Promise<Consumer> {
    if (!kindOfQueue(queue)) throw new TypeError(`there is no queue ${queue}`);
    const { logger, routes } = this;
    return this.startConsumer({
      queue,
      prefetch,
      declare: (model) => routes.declareQueue(model, queue, logger),
      handle: async (message, hold) => {
        const { content, fields } = message;
        const origin = originOf(fields.exchange, this.observer);
        const arrival = { content, queue, redelivered: fields.redelivered, hold, origin };
        const verdict = await deliverCommand(arrival, handler, logger);
        // A lost message is delivered again and judged then.
        return hold.isLost ? verdict : this.withReason(queue, message, verdict);
      },
    });
  }

  /**
   * AMQP gives a consumer no way to attach a reason to a rejected message. So the consumer publishes the message to the
   * dead-letter queue itself, with its reason, and acks. If that fails, the broker dead-letters the message, and only
   * the log has the reason.
   */
  private async withReason(
    queue: string,
    { content, properties }: ConsumeMessage,
    verdict: Verdict,
  ): Promise<Verdict> {
    if (verdict === 'ack' || verdict.reason === undefined || this.routes.isRestricted) return verdict;
    const outcome = await this.publisher.publishBytes(exchanges.dead, queue, content, {
      messageId: String(properties.messageId ?? ''),
      persistent: true,
      headers: { [REASON_HEADER]: verdict.reason },
    });
    return outcome === 'confirmed' ? 'ack' : verdict;
  }

  async consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer> {
    const logger = this.logger;
    return this.startConsumer({
      queue: deadLetterQueue.name,
      prefetch: DEAD_PREFETCH,
      declare: (model) => declareTopology(model, logger),
      handle: (message, hold) =>
        deliverDead(toDeadDelivery(message), handler, hold, { ...this.options, logger }),
    });
  }

  async inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'> {
    const { model } = this.consuming;
    if (!model) throw new BusUnavailableError('not connected to RabbitMQ');
    try {
      const looking = onOwnChannel(model, (channel) => channel.checkQueue(queue));
      const { consumerCount, messageCount } = await within(this.options.clock, looking, INSPECT_TIMEOUT_MS);
      return { consumers: consumerCount, messages: messageCount };
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return 'missing';
      throw new BusUnavailableError(`queue ${queue} could not be inspected: ${textOf(error)}`);
    }
  }

  async onControl(
    identity: { role: Role; processId: string },
    handler: (message: Message) => void,
  ): Promise<void> {
    const { consuming: connection, logger, observer } = this;
    const groups = this.options.groups ?? [];
    const control = new ControlListener({ connection, identity, groups, handler, logger, observer });
    await control.start();
    this.control = control;
  }

  emit(event: ConversationEvent): void {
    this.emitter?.emit(event);
  }

  follow(conversationId: string): Promise<void> {
    if (!this.follower) {
      const { processId } = this.options;
      const listeners = this.listeners;
      this.follower = new EventFollower({
        connection: this.consuming,
        processId,
        listeners,
        logger: this.logger,
      });
      void this.follower.start();
    }
    return this.follower.follow(conversationId);
  }

  unfollow(conversationId: string): void {
    this.follower?.unfollow(conversationId);
  }

  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void {
    this.listeners.add(listener);
  }

  private async startConsumer(
    options: Omit<QueueConsumerOptions, 'connection' | 'logger' | 'observer'>,
  ): Promise<Consumer> {
    const { consuming: connection, logger, observer } = this;
    const consumer = new QueueConsumer({ ...options, connection, logger, observer });
    await consumer.start();
    return consumer;
  }

  private connection(purpose: BusConnection): SupervisedConnection {
    const { processId, clock, random } = this.options;
    const { url, logger } = this;
    const name = `${processId} ${purpose}`;
    const onReconnect = () => this.observer.reconnected(purpose);
    const group = groupOf(processId);
    return new SupervisedConnection({ url, name, logger, clock, random, onReconnect, group });
  }

  private connections(): SupervisedConnection[] {
    const working = [this.publishing, this.consuming];
    return this.routes.isRestricted ? working : [...working, this.emitting];
  }
}
