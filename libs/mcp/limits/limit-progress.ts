import type { Clock, Timer } from '#time';

/** Between two reports that are sent. */
export const PROGRESS_GAP_MS = 200;

/**
 * Sends a call's progress at most five times a second. Of the reports in between it sends only the latest, when the gap
 * is over or the call has ended.
 */
export class LimitedProgress<T extends object> {
  private sentAt = -Infinity;
  private waiting: T | undefined;
  private timer: Timer | undefined;

  constructor(
    private readonly send: (report: T) => void,
    private readonly clock: Pick<Clock, 'now' | 'after'>,
  ) {}

  report(report: T): void {
    const leftMs = this.sentAt + PROGRESS_GAP_MS - this.clock.now();
    this.waiting = report;
    if (leftMs <= 0) this.flush();
    else this.timer ??= this.clock.after(leftMs, () => this.flush());
  }

  /** Sends the waiting report, if there is one; must be called when the call ends. */
  flush(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return;
    this.sentAt = this.clock.now();
    this.send(waiting);
  }
}
