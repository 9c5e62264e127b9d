import type { Clock } from '#time';

const WINDOW_MS = 60_000;
const SEARCHES_PER_WINDOW = 30;
const MAX_PAUSE_MS = 10 * 60_000;

/** How often this worker may ask the search engine, and not at all while that has asked for a pause. */
export class SearchPace {
  private readonly asked: number[] = [];
  private pausedUntil = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** 0: ask now, it is counted. Otherwise milliseconds until it makes sense to come again. */
  take(): number {
    const now = this.clock.now();
    while (this.asked[0] !== undefined && this.asked[0] <= now - WINDOW_MS) this.asked.shift();
    const isFull = this.asked.length >= SEARCHES_PER_WINDOW;
    const freeAt = Math.max(this.pausedUntil, isFull ? this.asked[0]! + WINDOW_MS : 0);
    if (freeAt > now) return Math.ceil(freeAt - now);
    this.asked.push(now);
    return 0;
  }

  pause(forMs: number): void {
    this.pausedUntil = this.clock.now() + Math.min(forMs, MAX_PAUSE_MS);
  }
}
