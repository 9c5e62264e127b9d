import { RateWindow, type Clock } from '#time';

const WINDOW_MS = 60_000;
const SEARCHES_PER_WINDOW = 30;
const MAX_PAUSE_MS = 10 * 60_000;
const ENGINE = 'engine';

/**
 * Limits how often this worker may query the search engine, and stops it during a pause that the engine has asked for.
 */
export class SearchPace {
  private readonly asked: RateWindow;
  private pausedUntil = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.asked = new RateWindow(clock, { windowMs: WINDOW_MS });
  }

  /** 0: query now, and this query is counted. Otherwise the milliseconds until the next attempt makes sense. */
  take(): number {
    const pauseMs = this.pausedUntil - this.clock.now();
    const waitMs = Math.max(pauseMs, this.asked.waitMs(ENGINE, SEARCHES_PER_WINDOW));
    if (waitMs > 0) return Math.ceil(waitMs);
    this.asked.add(ENGINE, 1);
    return 0;
  }

  pause(forMs: number): void {
    this.pausedUntil = this.clock.now() + Math.min(forMs, MAX_PAUSE_MS);
  }
}
