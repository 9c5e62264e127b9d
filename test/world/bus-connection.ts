import type { Message } from '#contracts';
import { createMemoryBus, type Bus } from '#messaging';
import type { ProcessClock } from '#time/testing';
import { deliverControl } from '../../libs/messaging/port/deliver.js';
import type { EventListeners } from '../../libs/messaging/port/event-listeners.js';
import { Line } from './line.js';
import type { World } from './world.js';

type Receive = (content: Buffer) => void;

/** One connection of a process to the world's broker; gone for good when it is cut. */
export class BusConnection {
  /** Its consumers. */
  readonly inner: Bus;
  readonly since: number;
  /** To the broker: commands and acknowledgements, and events. */
  readonly commands: Line;
  readonly events: Line;
  /** To this process: answers and deliveries. */
  readonly answers: Line;
  /** Called when it is cut. */
  readonly onCut = new Set<() => void>();
  private readonly control: Line;
  private readonly arriving: Line;
  private readonly bound: { key: string; receive: Receive }[] = [];
  private readonly receiveEvent: Receive;

  constructor(
    private readonly world: World,
    private readonly clock: ProcessClock,
    listeners: EventListeners,
  ) {
    const { broker, clock: worldClock, random, faults } = world;
    this.inner = createMemoryBus({ broker: broker.memory, logger: world.logger, clock: worldClock, random });
    this.since = clock.now();
    const delayMs = () => faults.busDelayMs();
    // What has been sent arrives whatever becomes of the process; what comes to it waits while it is frozen.
    [this.commands, this.events] = [new Line(worldClock, delayMs), new Line(worldClock, delayMs)];
    [this.answers, this.control] = [new Line(clock, delayMs), new Line(clock, delayMs)];
    const arriving = new Line(clock, delayMs);
    this.arriving = arriving;
    this.receiveEvent = (content) => arriving.push(() => listeners.notifyEvent(content));
  }

  bindControl(keys: readonly string[], handler: (message: Message) => void): void {
    const receive: Receive = (content) =>
      this.control.push(() => deliverControl(content, handler, this.world.logger));
    for (const key of keys) {
      this.world.broker.memory.listen(key, receive);
      this.bound.push({ key, receive });
    }
  }

  follow(conversationId: string): void {
    this.world.broker.memory.follow(conversationId, this.receiveEvent);
  }

  unfollow(conversationId: string): void {
    this.world.broker.memory.unfollow(conversationId, this.receiveEvent);
  }

  /** What this process has sent and the broker has not got. */
  loseUnsent(): void {
    this.commands.cut();
    this.events.cut();
  }

  /** The broker forgets it, and what is on its way to the process never arrives. */
  end(followed: Iterable<string>): void {
    for (const line of [this.answers, this.control, this.arriving]) line.cut();
    for (const { key, receive } of this.bound) this.world.broker.memory.unlisten(key, receive);
    for (const id of followed) this.unfollow(id);
    void this.inner.close();
    for (const tell of this.onCut) this.clock.soon(tell);
  }
}
