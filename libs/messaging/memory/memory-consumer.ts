import { settledWithin, type Clock } from '#time';
import type { Consumer } from '../port/bus.port.js';
import { rejectionOf, type Verdict } from '../port/deliver.js';
import { Hold } from '../port/hold.js';
import type { MemoryQueue, Seat, StoredMessage } from './memory-queue.js';

/** Must not reject. */
export type MemoryHandler = (message: StoredMessage, hold: Hold) => Promise<Verdict>;

export class MemoryConsumer implements Consumer, Seat {
  private readonly unacked = new Map<Hold, StoredMessage>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly queue: MemoryQueue,
    private readonly prefetch: number,
    private readonly handle: MemoryHandler,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.queue.attach(this);
  }

  get isFree(): boolean {
    return this.unacked.size < this.prefetch;
  }

  take(message: StoredMessage): void {
    const hold = new Hold();
    this.unacked.set(hold, message);
    const running = this.handle(message, hold).then((verdict) => {
      this.running.delete(running);
      this.settle(message, hold, verdict);
    });
    this.running.add(running);
  }

  async stop(graceMs: number): Promise<void> {
    this.queue.detach(this);
    await settledWithin(this.clock, Promise.all(this.running), graceMs);
    this.lose();
  }

  /** Acts as if the consumer had died: all unsettled messages return to the queue. */
  lose(): void {
    this.queue.detach(this);
    // The oldest message is put back last, so it is delivered first again.
    const inHand = [...this.unacked].reverse();
    this.unacked.clear();
    for (const [hold, message] of inHand) {
      hold.lose();
      this.queue.giveBack(message);
    }
  }

  private settle(message: StoredMessage, hold: Hold, verdict: Verdict): void {
    if (!this.unacked.delete(hold)) return;
    if (verdict !== 'ack') this.queue.kill(message, rejectionOf(verdict.reason));
    this.queue.schedule();
  }
}
