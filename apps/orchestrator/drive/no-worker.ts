import type { Bus } from '#messaging';

const FIRST_LOOK_MS = 2_000;
const SECOND_LOOK_MS = 10_000;

/**
 * A durable queue without consumers accepts messages and nothing comes back. This watches the calls of one turn
 * that nobody has claimed and says what their queues look like: absent twice, 10 s apart, means no worker.
 */
export class NoWorkerWatch {
  private readonly sentAt = new Map<string, number>();
  private readonly missedAt = new Map<string, number>();

  constructor(
    private readonly bus: Pick<Bus, 'inspect'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** True unless the call was sent a moment ago. */
  isDue(toolCallId: string): boolean {
    return !this.sentAt.has(toolCallId);
  }

  sent(toolCallId: string, outcome: 'confirmed' | 'returned' | 'refused' | 'unknown'): void {
    // A returned one is looked at on the next tick, one that is surely in its queue after 2 s.
    this.sentAt.set(toolCallId, outcome === 'confirmed' ? this.now() : -Infinity);
  }

  /** Looks at the call's queue when it is time to: publish again, wait, or give up because there is no worker. */
  async look(toolCallId: string, queue: string): Promise<'wait' | 'publish' | 'no_worker'> {
    const sentAt = this.sentAt.get(toolCallId);
    if (sentAt === undefined) return 'publish';
    const missedAt = this.missedAt.get(toolCallId);
    const age = this.now() - (missedAt ?? sentAt);
    if (age < (missedAt === undefined ? FIRST_LOOK_MS : SECOND_LOOK_MS)) return 'wait';
    const state = await this.bus.inspect(queue);
    const isServed = state !== 'missing' && state.consumers > 0;
    if (!isServed) {
      if (missedAt !== undefined) return 'no_worker';
      this.missedAt.set(toolCallId, this.now());
      return 'wait';
    }
    this.missedAt.delete(toolCallId);
    this.sentAt.set(toolCallId, this.now());
    // Served, and still waiting in its queue: a second copy would only wait behind it.
    return missedAt === undefined && state.messages > 0 ? 'wait' : 'publish';
  }
}
