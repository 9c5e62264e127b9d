import type { Clock } from '#time';
import { Fifo } from './fifo.js';

export interface StoredMessage {
  content: Buffer;
  messageId: string;
  /** How often it came back from a consumer. */
  returns: number;
  /** Where and why it died, in `dead-letters`. */
  death?: { queue: string; reason: string };
}

/** A consumer as its queue sees it. */
export interface Seat {
  readonly isFree: boolean;
  take(message: StoredMessage): void;
}

export interface MemoryQueueOptions {
  name: string;
  maxLength: number;
  /** Returns after which a message is dead. */
  deliveryLimit: number;
  clock: Pick<Clock, 'soon'>;
  onDead(message: StoredMessage, death: { queue: string; reason: string }): void;
}

/** What a quorum queue does: order, prefetch, length and delivery limits. Hands out in turn, asynchronously. */
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
    this.ready.push(message);
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

  /** A consumer is gone without having settled the message. */
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

  /** Hands out what there is, soon; to be called when a seat has become free. */
  schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.clock.soon(() => {
      this.isScheduled = false;
      this.handOut();
    });
  }

  private handOut(): void {
    while (this.ready.length > 0) {
      const seat = this.seats.find(({ isFree }) => isFree);
      const message = seat && this.ready.shift();
      if (!message) return;
      // To the end of the line: consumers are served in turn.
      this.seats = [...this.seats.filter((other) => other !== seat), seat];
      seat.take(message);
    }
  }
}
