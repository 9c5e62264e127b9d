import type { Clock, Timer } from '#time';

/** Between two reports that are passed on. */
export const PROGRESS_GAP_MS = 200;

/**
 * Passes a call's progress on at most five times a second: of reports in between only the latest, when the gap is over
 * or the call has ended.
 */
export class LimitedProgress<T extends object> {
  private passedAt = -Infinity;
  private waiting: T | undefined;
  private timer: Timer | undefined;

  constructor(
    private readonly passOn: (report: T) => void,
    private readonly clock: Pick<Clock, 'now' | 'after'>,
  ) {}

  report(report: T): void {
    const leftMs = this.passedAt + PROGRESS_GAP_MS - this.clock.now();
    this.waiting = report;
    if (leftMs <= 0) this.flush();
    else this.timer ??= this.clock.after(leftMs, () => this.flush());
  }

  /** Passes on what waits; also before the call ends. */
  flush(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return;
    this.passedAt = this.clock.now();
    this.passOn(waiting);
  }
}
