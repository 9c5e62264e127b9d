import type { Bus } from '#messaging';
import { FreshReads, type Clock } from '#time';

/** Shorter than the time between two checks of one turn. */
const LIMITS = { freshMs: 1_000, maxRemembered: 10_000 };

/** The state of queues. An answer is reused for a second by every turn that asks. */
export class QueueInspections {
  private readonly known: FreshReads<Awaited<ReturnType<Bus['inspect']>>>;

  constructor(
    private readonly bus: Pick<Bus, 'inspect' | 'takesMessages'>,
    clock: Pick<Clock, 'now'>,
  ) {
    this.known = new FreshReads(clock, LIMITS);
  }

  inspect(queue: string): ReturnType<Bus['inspect']> {
    return this.known.get(queue, () => this.bus.inspect(queue));
  }

  takesMessages(): boolean {
    return this.bus.takesMessages();
  }
}
