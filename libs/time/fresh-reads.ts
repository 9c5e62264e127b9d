import type { Clock } from './clock.port.js';

export interface FreshReadsLimits {
  /** An answer is reused for this long. */
  freshMs: number;
  /** The maximum number of remembered keys; the oldest one is dropped. */
  maxRemembered: number;
}

/** The answers of reads, each reused for a while: callers that come meanwhile share one read. */
export class FreshReads<Answer> {
  /** Oldest first. */
  private readonly reads = new Map<string, { at: number; answer: Promise<Answer> }>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly limits: FreshReadsLimits,
  ) {}

  /** A failed read is not remembered. */
  get(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const { freshMs, maxRemembered } = this.limits;
    const at = this.clock.now();
    const known = this.reads.get(key);
    if (known && at - known.at < freshMs) return known.answer;
    this.reads.delete(key);
    const [oldest] = this.reads.keys();
    if (oldest !== undefined && this.reads.size >= maxRemembered) this.reads.delete(oldest);
    const fresh = { at, answer: read() };
    this.reads.set(key, fresh);
    fresh.answer.catch(() => {
      if (this.reads.get(key) === fresh) this.reads.delete(key);
    });
    return fresh.answer;
  }

  /** Forgets the answer: the next caller reads again. */
  forget(key: string): void {
    this.reads.delete(key);
  }
}
