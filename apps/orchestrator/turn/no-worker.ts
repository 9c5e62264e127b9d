import { BusUnavailableError, type Bus, type PublishOutcome } from '#messaging';
import type { Clock } from '#time';

const FIRST_CHECK_MS = 2_000;
/** A confirmed call that is still not claimed after so long is sent again: queues can be purged. */
const IN_LINE_MS = 30_000;
const PATIENCE_MS = 10_000;
/** A queue that is full for so long will not have room soon. */
const FULL_MS = 5_000;

/**
 * A durable queue without consumers accepts messages and nothing comes back. This watches the calls of one turn
 * that nobody has claimed and says what their queues look like: without consumers at every look for 10 s means no
 * worker, refused at every try for 5 s that the queue is full.
 */
export class NoWorkerWatch {
  private readonly sentAt = new Map<string, number>();
  private readonly missedAt = new Map<string, number>();
  private readonly refusedAt = new Map<string, number>();

  constructor(
    private readonly bus: Pick<Bus, 'inspect' | 'takesMessages'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  sent(toolCallId: string, outcome: PublishOutcome): void {
    // What may not be in its queue is looked at on the next tick, one that surely is after 2 s.
    this.sentAt.set(toolCallId, outcome === 'confirmed' ? this.clock.now() : -Infinity);
    // An alarm of the broker refuses, too, and says nothing about the queue.
    if (outcome !== 'refused' || !this.bus.takesMessages()) this.refusedAt.delete(toolCallId);
    else if (!this.refusedAt.has(toolCallId)) this.refusedAt.set(toolCallId, this.clock.now());
  }

  /** Looks at the call's queue when it is time to: publish again, wait, or give up because there is no worker. */
  async check(toolCallId: string, queue: string): Promise<'wait' | 'publish' | 'no_worker' | 'full'> {
    const sentAt = this.sentAt.get(toolCallId);
    if (sentAt === undefined) return 'publish';
    const missedAt = this.missedAt.get(toolCallId);
    if (missedAt === undefined && this.clock.now() - sentAt < FIRST_CHECK_MS) return 'wait';
    const state = await this.inspect(queue);
    if (state === 'not_known') {
      // Workers come back after the broker does: their time starts anew.
      this.missedAt.delete(toolCallId);
      return 'wait';
    }
    if (state === 'missing' || state.consumers === 0) {
      this.missedAt.set(toolCallId, missedAt ?? this.clock.now());
      return missedAt !== undefined && this.clock.now() - missedAt >= PATIENCE_MS ? 'no_worker' : 'wait';
    }
    this.missedAt.delete(toolCallId);
    const refusedAt = this.refusedAt.get(toolCallId);
    if (refusedAt !== undefined && this.clock.now() - refusedAt >= FULL_MS) return 'full';
    // Surely in its queue, and the queue is not empty: a second copy would only wait behind it.
    const isWaitingInLine =
      missedAt === undefined && state.messages > 0 && this.clock.now() - sentAt < IN_LINE_MS;
    return isWaitingInLine ? 'wait' : 'publish';
  }

  /** A broker that is away says nothing about the workers. */
  private async inspect(queue: string): Promise<Awaited<ReturnType<Bus['inspect']>> | 'not_known'> {
    try {
      return await this.bus.inspect(queue);
    } catch (error) {
      if (error instanceof BusUnavailableError) return 'not_known';
      throw error;
    }
  }
}
