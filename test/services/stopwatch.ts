const TICK_MS = 20;
/** A shorter delay of a timer is usual on a busy machine. */
const STALL_MS = 100;

/**
 * Tells the time that something takes from the time in which the machine stands still. Then this process, which does
 * nothing but wait, is not let run either, so what it measures says as little about the product.
 */
export class Stopwatch {
  private readonly startedAt = performance.now();
  private lastTickAt = this.startedAt;
  private stalledMs = 0;
  private readonly ticking = setInterval(() => this.tick(), TICK_MS).unref();

  /** Since the start, without the stalls. */
  stop(): { tookMs: number; stalledMs: number } {
    clearInterval(this.ticking);
    this.tick();
    const { startedAt, lastTickAt, stalledMs } = this;
    return { tookMs: lastTickAt - startedAt - stalledMs, stalledMs };
  }

  private tick(): void {
    const now = performance.now();
    const lateMs = now - this.lastTickAt - TICK_MS;
    if (lateMs >= STALL_MS) this.stalledMs += lateMs;
    this.lastTickAt = now;
  }
}
