import { backOffMs, type Clock, type Random } from '#time';
import type { McpTimings } from '../config/mcp-timings.js';

/** After failures the next try waits, longer each time, up to a limit, with jitter. */
export class ConnectPause {
  private failures = 0;
  private nextTryAt = 0;

  constructor(
    private readonly timings: Pick<McpTimings, 'minPauseMs' | 'maxPauseMs'>,
    private readonly time: { clock: Pick<Clock, 'now'>; random: Random },
  ) {}

  /** Until the next try; 0: now. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.nextTryAt - this.time.clock.now()));
  }

  /** The pause before the next try. */
  failed(): number {
    const { minPauseMs: firstMs, maxPauseMs: longestMs } = this.timings;
    const { clock, random } = this.time;
    const pauseMs = backOffMs(this.failures++, { firstMs, longestMs }, random);
    this.nextTryAt = clock.now() + pauseMs;
    return pauseMs;
  }

  succeeded(): void {
    this.failures = 0;
    this.nextTryAt = 0;
  }
}
