import type { Bus } from '#messaging';
import type { Clock } from '#time';

/** Less than the time between two looks of one turn. */
const FRESH_MS = 1_000;

/** What queues look like, asked once a second at most for all turns that want to know. */
export class QueueGlances {
  private readonly known = new Map<string, { askedAt: number; state: ReturnType<Bus['inspect']> }>();

  constructor(
    private readonly bus: Pick<Bus, 'inspect' | 'takesMessages'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  inspect(queue: string): ReturnType<Bus['inspect']> {
    const known = this.known.get(queue);
    if (known && this.clock.now() - known.askedAt < FRESH_MS) return known.state;
    const state = this.bus.inspect(queue);
    this.known.set(queue, { askedAt: this.clock.now(), state });
    return state;
  }

  takesMessages(): boolean {
    return this.bus.takesMessages();
  }
}
