import type { Clock } from '#time';

const WINDOW_MS = 60_000;
const PART_MS = 10_000;
const PARTS = WINDOW_MS / PART_MS;

interface Ends {
  /** Calls by tenth of a minute; the last one is the present one. */
  parts: number[];
  newest: number;
}

/** How many calls of each toolset ended during the last minute. */
export class CallPace {
  private readonly toolsets = new Map<string, Ends>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  ended(toolset: string): void {
    const ends = this.upToNow(toolset);
    ends.parts[ends.parts.length - 1]! += 1;
  }

  /** Of a worker that has just started, too, over a whole minute: it is slow to believe in a speed. */
  perSecond(toolset: string): number {
    if (!this.toolsets.has(toolset)) return 0;
    return this.upToNow(toolset).parts.reduce((sum, calls) => sum + calls, 0) / (WINDOW_MS / 1_000);
  }

  private upToNow(toolset: string): Ends {
    const newest = Math.floor(this.clock.now() / PART_MS);
    const ends = this.toolsets.get(toolset) ?? { parts: Array<number>(PARTS).fill(0), newest };
    this.toolsets.set(toolset, ends);
    const passed = Math.min(PARTS, newest - ends.newest);
    ends.parts = [...ends.parts.slice(passed), ...Array<number>(passed).fill(0)];
    ends.newest = newest;
    return ends;
  }
}
