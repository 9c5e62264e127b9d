/** Between two reports that are passed on. */
export const PROGRESS_GAP_MS = 200;

/**
 * Passes a call's progress on at most five times a second: of reports in between only the latest, when the gap is over
 * or the call has ended.
 */
export class LimitedProgress<T extends object> {
  private passedAt = -Infinity;
  private waiting: T | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly passOn: (report: T) => void,
    private readonly now = () => performance.now(),
  ) {}

  report(report: T): void {
    const leftMs = this.passedAt + PROGRESS_GAP_MS - this.now();
    this.waiting = report;
    if (leftMs <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), leftMs);
  }

  /** Passes on what waits; also before the call ends. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return;
    this.passedAt = this.now();
    this.passOn(waiting);
  }
}
