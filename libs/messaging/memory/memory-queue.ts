import type { Clock } from '#time';
import { Fifo } from './fifo.js';

export interface StoredMessage {
  content: Buffer;
  messageId: string;
  /** How often a consumer returned it. */
  returns: number;
  /** By the queue's monotonic clock. */
  pushedAt?: number;
  /** The queue in which it died and the reason, for messages in `dead-letters`. */
  death?: { queue: string; reason: string };
}

/** A consumer, as its queue sees it. */
export interface Seat {
  readonly isFree: boolean;
  take(message: StoredMessage): void;
}

export interface MemoryQueueOptions {
  name: string;
  maxLength: number;
  /** The number of returns after which a message is dead. */
  deliveryLimit: number;
  /** How long a message may wait; then it is dropped. */
  lifeMs: number;
  clock: Pick<Clock, 'soon' | 'now'>;
  onDead(message: StoredMessage, death: { queue: string; reason: string }): void;
}

/**
 * Imitates a quorum queue: order, prefetch, length limit and delivery limit. Delivers to consumers in turn,
 * asynchronously.
 */
export class MemoryQueue {
  private readonly ready = new Fifo<StoredMessage>();
  private seats: Seat[] = [];
  private isScheduled = false;

  constructor(private readonly options: MemoryQueueOptions) {}

  get length(): number {
    return this.ready.length;
  }

  get consumers(): number {
    return this.seats.length;
  }

  push(message: StoredMessage): 'confirmed' | 'refused' {
    if (this.ready.length >= this.options.maxLength) return 'refused';
    this.ready.push({ ...message, pushedAt: this.options.clock.now() });
    this.schedule();
    return 'confirmed';
  }

  attach(seat: Seat): void {
    this.seats.push(seat);
    this.schedule();
  }

  detach(seat: Seat): void {
    this.seats = this.seats.filter((other) => other !== seat);
  }

  /** Takes back a message that a lost consumer did not settle. */
  giveBack(message: StoredMessage): void {
    message.returns++;
    if (message.returns > this.options.deliveryLimit) {
      this.kill(message, 'delivery_limit');
      return;
    }
    this.ready.putBack(message);
    this.schedule();
  }

  kill(message: StoredMessage, reason: string): void {
    this.options.onDead(message, { queue: this.options.name, reason });
  }

  /** Schedules delivery of ready messages; call it when a consumer can take more. */
  schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.clock.soon(() => {
      this.isScheduled = false;
      this.handOut();
    });
  }

  private hasExpired({ pushedAt = 0 }: StoredMessage): boolean {
    const { clock, lifeMs } = this.options;
    return clock.now() - pushedAt > lifeMs;
  }

  private handOut(): void {
    while (this.ready.length > 0) {
      const seat = this.seats.find(({ isFree }) => isFree);
      const message = seat && this.ready.shift();
      if (!message) return;
      if (this.hasExpired(message)) continue;
      // Move it to the end: consumers are served in turn.
      this.seats = [...this.seats.filter((other) => other !== seat), seat];
      seat.take(message);
    }
  }
}
