import type { McpTimings } from './mcp-timings.js';

/** After failures the next try waits, longer each time, up to a limit, with jitter. */
export class ConnectPause {
  private failures = 0;
  private nextTryAt = 0;

  /** `now` is monotonic, in milliseconds. */
  constructor(
    private readonly timings: Pick<McpTimings, 'minPauseMs' | 'maxPauseMs'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Until the next try; 0: now. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.nextTryAt - this.now()));
  }

  /** The pause before the next try. */
  failed(): number {
    const { minPauseMs, maxPauseMs } = this.timings;
    const longest = Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(this.failures, 16));
    this.failures++;
    const pauseMs = longest * (0.5 + Math.random() / 2);
    this.nextTryAt = this.now() + pauseMs;
    return pauseMs;
  }

  succeeded(): void {
    this.failures = 0;
    this.nextTryAt = 0;
  }
}
