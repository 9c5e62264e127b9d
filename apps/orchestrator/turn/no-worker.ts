import { BusUnavailableError, type Bus, type PublishOutcome } from '#messaging';
import type { Clock } from '#time';

const FIRST_CHECK_MS = 2_000;
/** A confirmed call that is still unclaimed after this long is sent again, because queues can be purged. */
const IN_LINE_MS = 30_000;
const PATIENCE_MS = 10_000;
/** A queue that has been full for this long will not have room soon. */
const FULL_MS = 5_000;

/**
 * A durable queue without consumers accepts messages, but nothing comes back. This class watches the unclaimed calls of
 * one turn and classifies their queues. No consumers at every check for 10 s means that there is no worker; a refusal
 * of every attempt for 5 s means that the queue is full.
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
    // A call that may not be in its queue is checked on the next tick; one that surely is there is checked after 2 s.
    this.sentAt.set(toolCallId, outcome === 'confirmed' ? this.clock.now() : -Infinity);
    // A broker alarm also refuses messages, and says nothing about the queue.
    if (outcome !== 'refused' || !this.bus.takesMessages()) this.refusedAt.delete(toolCallId);
    else if (!this.refusedAt.has(toolCallId)) this.refusedAt.set(toolCallId, this.clock.now());
  }

  /** Checks the call's queue when it is time: publish again, wait, or give up because there is no worker. */
  async check(toolCallId: string, queue: string): Promise<'wait' | 'publish' | 'no_worker' | 'full'> {
    const sentAt = this.sentAt.get(toolCallId);
    if (sentAt === undefined) return 'publish';
    const missedAt = this.missedAt.get(toolCallId);
    if (missedAt === undefined && this.clock.now() - sentAt < FIRST_CHECK_MS) return 'wait';
    const state = await this.inspect(queue);
    if (state === 'not_known') {
      // Workers reconnect after the broker is back, so their time starts again.
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
    // The call is surely in its queue, and the queue is not empty: a second copy would only wait behind it.
    const isWaitingInLine =
      missedAt === undefined && state.messages > 0 && this.clock.now() - sentAt < IN_LINE_MS;
    return isWaitingInLine ? 'wait' : 'publish';
  }

  /** An unreachable broker says nothing about the workers. */
  private async inspect(queue: string): Promise<Awaited<ReturnType<Bus['inspect']>> | 'not_known'> {
    try {
      return await this.bus.inspect(queue);
    } catch (error) {
      if (error instanceof BusUnavailableError) return 'not_known';
      throw error;
    }
  }
}
