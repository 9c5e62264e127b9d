import { encodeMessage, type ConversationEvent, type Message, type Role } from '#contracts';
import {
  BusUnavailableError,
  type Bus,
  type Consumer,
  type DeadDelivery,
  type Delivery,
  type DeliveryOutcome,
  type Handler,
  type PublishOutcome,
} from '#messaging';
import type { ProcessClock } from '#time/testing';
import { encodeEvent } from '../../libs/messaging/port/event-codec.js';
import { EventListeners } from '../../libs/messaging/port/event-listeners.js';
import { controlKeysOf } from '../../libs/messaging/port/topology.js';
import { BusConnection } from './bus-connection.js';
import type { World } from './world.js';

/** Longest that a command or an inspection waits for the broker. */
const ANSWER_MS = 5_000;

interface Consuming {
  start: (bus: Bus) => Promise<Consumer>;
  consumer: Promise<Consumer> | undefined;
  isStopped: boolean;
}

/**
 * The bus of one process, over a connection to the world's broker that takes its time and can be cut. Commands,
 * events, deliveries and control messages each keep their order, and overtake each other.
 */
export class SimulatedBus implements Bus {
  private connection: BusConnection | undefined;
  private isClosed = true;
  private readonly consuming = new Set<Consuming>();
  private readonly followed = new Set<string>();
  private readonly listeners: EventListeners;
  private controlled: { keys: string[]; handler: (message: Message) => void }[] = [];

  constructor(
    private readonly world: World,
    private readonly clock: ProcessClock,
    private readonly place = '',
  ) {
    this.listeners = new EventListeners(world.logger);
  }

  async open(): Promise<void> {
    this.isClosed = false;
    await this.clock.sleep(this.world.faults.busDelayMs());
    while (!this.world.broker.isUp) await this.clock.sleep(200);
    await this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.overtakeNothing(async () => void this.drop());
    // What was in hand is told so.
    await this.clock.sleep(this.world.faults.busDelayMs());
  }

  isConnected(): boolean {
    return this.connection !== undefined;
  }

  takesMessages(): boolean {
    return this.isConnected() && !this.world.broker.isBlocked;
  }

  connectedForMs(): number {
    return this.connection ? this.clock.now() - this.connection.since : 0;
  }

  /** The connection breaks, and the process notices; unless it is dead it comes back. `lose`: what is on its way. */
  cut({ lose = true, forMs = 0 } = {}): void {
    if (lose) this.connection?.loseUnsent();
    if (this.drop() && !this.isClosed) this.comeBack(forMs);
  }

  publish(queue: string, message: Message): Promise<PublishOutcome> {
    const content = encodeMessage(message);
    this.note(`publish ${queue}`, message);
    return this.command(() => this.world.broker.publish(queue, content, message.id));
  }

  send(key: string, message: Message): Promise<PublishOutcome> {
    const content = encodeMessage(message);
    this.note(`send ${key}`, message);
    return this.command(() => this.world.broker.send(key, content));
  }

  async inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'> {
    await this.clock.sleep(this.world.faults.busDelayMs());
    const { connection } = this;
    const found = await this.world.broker.inspect(queue);
    await this.clock.sleep(this.world.faults.busDelayMs());
    if (!connection || connection !== this.connection)
      throw new BusUnavailableError('The simulated broker does not answer.');
    return found;
  }

  consume(queue: string, options: { prefetch: number }, handler: Handler): Promise<Consumer> {
    return this.startConsumer((bus) =>
      bus.consume(queue, options, (delivery) => this.deliver(delivery, handler)),
    );
  }

  consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer> {
    return this.startConsumer((bus) => bus.consumeDead((dead) => this.hand(() => handler(dead))));
  }

  async onControl(
    identity: { role: Role; processId: string },
    handler: (message: Message) => void,
  ): Promise<void> {
    const keys = controlKeysOf(identity);
    this.controlled.push({ keys, handler });
    await this.clock.sleep(this.world.faults.busDelayMs());
    this.connection?.bindControl(keys, handler);
  }

  emit(event: ConversationEvent): void {
    this.world.streamed.noteEmitted(event);
    const { connection } = this;
    if (!connection) return;
    this.depart(() => {
      if (this.world.faults.losesEvent()) return;
      connection.events.push(() => this.world.broker.emit(event.conversation_id, () => encodeEvent(event)));
    });
  }

  async follow(conversationId: string): Promise<void> {
    this.followed.add(conversationId);
    await this.clock.sleep(this.world.faults.busDelayMs());
    while (!this.connection) {
      if (this.isClosed || !this.followed.has(conversationId)) return;
      await this.clock.sleep(100);
    }
    if (this.followed.has(conversationId)) this.connection.follow(conversationId);
    await this.clock.sleep(this.world.faults.busDelayMs());
  }

  unfollow(conversationId: string): void {
    this.followed.delete(conversationId);
    this.connection?.unfollow(conversationId);
  }

  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void {
    this.listeners.add(listener);
  }

  private note(what: string, { type, body }: Message): void {
    if (this.world.onNote)
      this.world.note(`${this.place} ${what} ${type} ${JSON.stringify(body).slice(0, 120)}`);
  }

  private async connect(): Promise<void> {
    const connection = new BusConnection(this.world, this.clock, this.listeners);
    await connection.inner.open();
    this.connection = connection;
    for (const { keys, handler } of this.controlled) connection.bindControl(keys, handler);
    for (const id of this.followed) connection.follow(id);
    for (const consuming of this.consuming) consuming.consumer = consuming.start(connection.inner);
  }

  /** False if there was none. */
  private drop(): boolean {
    const { connection } = this;
    if (!connection) return false;
    this.connection = undefined;
    connection.end(this.followed);
    return true;
  }

  private comeBack(notBeforeMs = 0): void {
    const delayMs = notBeforeMs + this.world.faults.reconnectMs();
    this.clock.after(delayMs, () => {
      if (this.isClosed || this.connection) return;
      if (!this.world.broker.isUp) return this.comeBack();
      void this.connect().then(() => this.listeners.notifyGap());
    });
  }

  private command(act: () => PublishOutcome): Promise<PublishOutcome> {
    const { connection, clock, world } = this;
    if (!connection) return Promise.resolve('unknown');
    return new Promise((resolve) => {
      const giveUp = () => finish('unknown');
      const timer = clock.after(ANSWER_MS, giveUp);
      connection.onCut.add(giveUp);
      const finish = (outcome: PublishOutcome) => {
        timer.cancel();
        connection.onCut.delete(giveUp);
        resolve(outcome);
      };
      const { broker } = world;
      this.depart(() =>
        connection.commands.push(() => {
          // Under an alarm the broker reads nothing; what has been sent is read afterwards.
          if (broker.isBlocked) return broker.whenUnblocked(() => void act());
          const outcome = world.faults.refuses() ? 'refused' : act();
          if (world.faults.doubles()) act();
          connection.answers.push(() => finish(outcome));
        }),
      );
    });
  }

  /** Behind everything that was sent before on this connection. */
  private overtakeNothing(act: () => Promise<void>): Promise<void> {
    const { connection } = this;
    if (!connection) return act();
    return new Promise((resolve) => {
      const go = () => void act().then(() => this.clock.soon(resolve));
      const giveUp = () => resolve();
      connection.onCut.add(giveUp);
      this.depart(() => connection.commands.push(go));
    });
  }

  /** What a process does in the moment in which it is stopped waits until it goes on. */
  private depart(act: () => void): void {
    if (this.clock.state === 'running') act();
    else this.clock.soon(act);
  }

  private async startConsumer(start: Consuming['start']): Promise<Consumer> {
    await this.clock.sleep(this.world.faults.busDelayMs());
    const consuming: Consuming = { start, consumer: undefined, isStopped: false };
    this.consuming.add(consuming);
    if (this.connection) consuming.consumer = start(this.connection.inner);
    await consuming.consumer;
    return {
      stop: async (graceMs) => {
        this.consuming.delete(consuming);
        await this.overtakeNothing(async () => (await consuming.consumer)?.stop(graceMs));
        await this.clock.sleep(this.world.faults.busDelayMs());
      },
    };
  }

  private deliver(delivery: Delivery, handler: Handler): Promise<DeliveryOutcome> {
    const lost = new AbortController();
    delivery.lost.addEventListener('abort', () => this.clock.soon(() => lost.abort()), { once: true });
    const { message, redelivered } = delivery;
    return this.hand(() => handler({ message, redelivered, lost: lost.signal }));
  }

  /** To the process and, when it is done, back to the broker. */
  private hand<T>(handle: () => Promise<T>): Promise<T> {
    const { connection } = this;
    return new Promise((resolve, reject) => {
      // On its way when the connection was cut: delivered again on the next one.
      connection?.answers.push(() => {
        const settle = (act: () => void) => this.depart(() => connection.commands.push(act));
        handle().then(
          (outcome) => settle(() => resolve(outcome)),
          (error: unknown) => settle(() => reject(error)),
        );
      });
    });
  }
}
