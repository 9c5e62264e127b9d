import { MemoryBroker, sharedQueues, toolsQueue, type PublishOutcome } from '#messaging';
import type { VirtualClock } from '#time/testing';
import { Line } from './line.js';
import { TOOLSET } from './simulated-tools.js';

/** Takes what is in a queue, and nobody gets it. */
const DRAIN = { isFree: true, take: () => undefined };

/** The world's broker. While it is down nobody is connected; its queues stay. */
export class SimulatedBroker {
  readonly memory: MemoryBroker;
  /** Restarts under way: they may overlap. */
  private restarts = 0;
  /** A memory alarm: publishers are not read. */
  isBlocked = false;
  private readonly unread: (() => void)[] = [];

  constructor(clock: VirtualClock) {
    // A broker hands on in the order in which it got things; the clock would shuffle what is due at once.
    const inside = new Line(clock);
    this.memory = new MemoryBroker({ soon: (act) => inside.push(act), now: () => clock.now() });
  }

  get isUp(): boolean {
    return this.restarts === 0;
  }

  goDown(): void {
    this.restarts++;
  }

  comeBack(): void {
    this.restarts--;
    if (this.isUp) for (const queue of this.queues()) queue.detach(DRAIN);
  }

  whenUnblocked(act: () => void): void {
    this.unread.push(act);
  }

  unblock(): void {
    this.isBlocked = false;
    for (const act of this.unread.splice(0)) act();
  }

  /** Until it comes back: what its queues hold, and what was not acknowledged, is gone. */
  beginToForget(): void {
    for (const queue of this.queues()) queue.attach(DRAIN);
  }

  private queues() {
    const names = [...sharedQueues, toolsQueue(TOOLSET)];
    return names.flatMap((name) => this.memory.findQueue(name) ?? []);
  }

  publish(queue: string, content: Buffer, messageId: string): PublishOutcome {
    return this.isUp ? this.memory.publish(queue, content, messageId) : 'unknown';
  }

  send(controlKey: string, content: Buffer): PublishOutcome {
    return this.isUp ? this.memory.send(controlKey, content) : 'unknown';
  }

  emit(conversationId: string, encode: () => Buffer): void {
    if (this.isUp) this.memory.emit(conversationId, encode);
  }

  async inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'> {
    const found = this.memory.findQueue(queue);
    return found ? { consumers: found.consumers, messages: found.length } : 'missing';
  }
}
