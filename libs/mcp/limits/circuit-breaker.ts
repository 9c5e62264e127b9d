import type { Clock } from '#time';
import type { BreakerSettings } from '../config/mcp-timings.js';

export type BreakerState = 'closed' | 'half_open' | 'open';

/** How an admitted call ended; `unknown`: its end says nothing about the server. */
export type CallEnd = 'answered' | 'failed' | 'unknown';

export interface Pass {
  ended(end: CallEnd): void;
}

/**
 * Saves callers the wait for a server that does not answer: after some failures in a row it refuses calls for a while,
 * then admits one call, whose end decides.
 */
export class CircuitBreaker {
  private failuresInARow = 0;
  private openForMs = 0;
  private openUntil = 0;
  private isProbing = false;
  private lastShown: BreakerState = 'closed';

  constructor(
    private readonly settings: BreakerSettings,
    private readonly onState: (state: BreakerState) => void,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Admits a call, which reports its end (only the first report counts), or refuses it. */
  enter(): Pass | { retryAfterMs: number } {
    if (this.openForMs === 0) return passOnce((end) => this.settle(end));
    const leftMs = this.openUntil - this.clock.now();
    if (leftMs > 0) return { retryAfterMs: Math.ceil(leftMs) };
    if (this.isProbing) return { retryAfterMs: this.settings.minOpenMs };
    this.isProbing = true;
    this.show('half_open');
    return passOnce((end) => {
      this.isProbing = false;
      this.settle(end);
    });
  }

  private settle(end: CallEnd): void {
    if (end === 'unknown') return this.show(this.openForMs === 0 ? 'closed' : 'open');
    if (end === 'answered') return this.close();
    this.failuresInARow++;
    // Calls that were running when the breaker opened add nothing.
    const isOpen = this.openForMs > 0 && this.clock.now() < this.openUntil;
    if (this.failuresInARow >= this.settings.failures && !isOpen) this.open();
  }

  private close(): void {
    this.failuresInARow = 0;
    this.openForMs = 0;
    this.show('closed');
  }

  private open(): void {
    const { minOpenMs, maxOpenMs } = this.settings;
    this.openForMs = Math.min(maxOpenMs, this.openForMs === 0 ? minOpenMs : this.openForMs * 2);
    this.openUntil = this.clock.now() + this.openForMs;
    this.show('open');
  }

  private show(state: BreakerState): void {
    if (state === this.lastShown) return;
    this.lastShown = state;
    this.onState(state);
  }
}

function passOnce(settle: (end: CallEnd) => void): Pass {
  let hasEnded = false;
  return {
    ended: (end) => {
      if (!hasEnded) settle(end);
      hasEnded = true;
    },
  };
}
