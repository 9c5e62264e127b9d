import type { ConversationEvent, Message, Role } from '#contracts';
import {
  BusUnavailableError,
  createMemoryBus,
  type Bus,
  type Consumer,
  type DeadDelivery,
  type Delivery,
  type DeliveryOutcome,
  type Handler,
  type MemoryBroker,
  type PublishOutcome,
} from '#messaging';
import type { Faults } from './faults.js';
import type { Life } from './life.js';

interface Subscription {
  begin: (inner: Bus) => Promise<Consumer | void>;
  running: Promise<Consumer | void>;
}

/**
 * One process's bus on a broker shared with others, as bad as it may be by its contract: every message arrives
 * twice or not at all, late and out of order, publishes end `unknown`, the connection goes and comes back, and the
 * process may freeze or die between any two acts. What was sent stays sent.
 */
export class FaultyBus implements Bus {
  /** Commands delivered to this process and not settled by it. */
  inHand = 0;
  private inner: Bus;
  private isUp = false;
  private readonly subscriptions = new Set<Subscription>();
  private readonly followed = new Set<string>();
  private readonly listeners: Parameters<Bus['onEvent']>[0][] = [];
  private lastEventAt = 0;

  constructor(
    private readonly broker: MemoryBroker,
    private readonly wire: Bus,
    private readonly faults: Faults,
    private readonly life: Life,
  ) {
    this.inner = this.newInner();
  }

  async open(): Promise<void> {
    await this.inner.open();
    this.isUp = true;
  }

  async close(): Promise<void> {
    this.isUp = false;
    await this.inner.close();
  }

  /** The connection breaks: what is in hand goes back to its queue, the control queue is gone. */
  async disconnect(): Promise<void> {
    if (!this.isUp) return;
    this.life.wasDoubtful = true;
    this.inHand = 0;
    await this.close();
  }

  async reconnect(): Promise<void> {
    if (this.isUp || this.life.isDead) return;
    this.inner = this.newInner();
    await this.open();
    for (const subscription of this.subscriptions) subscription.running = subscription.begin(this.inner);
    for (const conversationId of this.followed) await this.inner.follow(conversationId);
    for (const listener of this.listeners) listener.gap();
  }

  isConnected(): boolean {
    return this.isUp;
  }

  connectedForMs(): number {
    return this.isUp ? this.inner.connectedForMs() : 0;
  }

  publish(queue: string, message: Message): Promise<PublishOutcome> {
    return this.sendOff(() => this.wire.publish(queue, message));
  }

  send(key: string, message: Message): Promise<PublishOutcome> {
    return this.sendOff(() => this.wire.send(key, message));
  }

  async inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'> {
    await this.life.gate();
    await this.faults.delay();
    await this.life.gate();
    if (!this.isUp || this.faults.happens('unknown')) throw new BusUnavailableError('the broker is away');
    return this.inner.inspect(queue);
  }

  consume(queue: string, options: { prefetch: number }, handler: Handler): Promise<Consumer> {
    return this.subscribe((inner) =>
      inner.consume(queue, options, (delivery) => this.handle(() => handler(delivery), delivery)),
    );
  }

  consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer> {
    return this.subscribe((inner) =>
      inner.consumeDead(async (dead) => {
        await this.life.gate();
        await handler(dead);
        await this.life.gate();
      }),
    );
  }

  async onControl(
    identity: { role: Role; processId: string },
    handler: (message: Message) => void,
  ): Promise<void> {
    const receive = (message: Message): void => {
      if (this.life.isRunning) handler(message);
      else void this.life.gate().then(() => handler(message));
    };
    await this.subscribe((inner) => inner.onControl(identity, receive));
  }

  /** Some are lost, some come twice; those that arrive keep their order. */
  emit(event: ConversationEvent): void {
    if (!this.isUp || !this.life.isRunning || this.faults.happens('drop')) return;
    const copies = this.faults.happens('duplicate') ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const at = Math.max(this.lastEventAt, performance.now() + this.faults.latencyMs());
      this.lastEventAt = at;
      setTimeout(() => this.wire.emit(event), at - performance.now());
    }
  }

  async follow(conversationId: string): Promise<void> {
    this.followed.add(conversationId);
    await this.life.gate();
    await this.faults.delay();
    await this.inner.follow(conversationId);
  }

  unfollow(conversationId: string): void {
    this.followed.delete(conversationId);
    this.inner.unfollow(conversationId);
  }

  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void {
    this.listeners.push(listener);
  }

  private newInner(): Bus {
    const inner = createMemoryBus({ broker: this.broker });
    inner.onEvent({
      event: (event) => {
        void this.life.gate().then(() => {
          for (const listener of this.listeners) listener.event(event);
        });
      },
      gap: () => undefined,
    });
    return inner;
  }

  private async sendOff(arrive: () => Promise<PublishOutcome>): Promise<PublishOutcome> {
    const { faults, life } = this;
    await life.gate();
    await faults.delay();
    if (!this.isUp) {
      await life.gate();
      return 'unknown';
    }
    const outcome = faults.happens('drop') ? 'confirmed' : await arrive();
    if (outcome === 'confirmed' && faults.happens('duplicate'))
      setTimeout(() => void arrive(), faults.latencyMs() * 4);
    await faults.delay();
    await life.gate();
    return faults.happens('unknown') ? 'unknown' : outcome;
  }

  private async handle(run: () => Promise<DeliveryOutcome>, delivery: Delivery): Promise<DeliveryOutcome> {
    this.inHand++;
    await this.life.gate();
    try {
      return await run();
    } finally {
      await this.life.gate();
      if (!delivery.lost.aborted) this.inHand--;
    }
  }

  private async subscribe(begin: Subscription['begin']): Promise<Consumer> {
    await this.life.gate();
    const subscription: Subscription = { begin, running: Promise.resolve() };
    this.subscriptions.add(subscription);
    if (this.isUp) subscription.running = begin(this.inner);
    await subscription.running;
    return {
      stop: async (graceMs) => {
        this.subscriptions.delete(subscription);
        const consumer = await subscription.running;
        await consumer?.stop(graceMs);
      },
    };
  }
}
