import type { CallRate } from '#bootstrap';
import { TokenBucket } from '#limits';
import type { Clock } from '#time';
import { toolsetOf } from '#turn';

interface LimitedBy {
  bucket: TokenBucket;
  parts: number;
}

/** Rates of tools and toolsets: this worker's share of the rate that the deployment allows the whole fleet. */
export class RateLimits {
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(
    /** Of a toolset (`math`) or a tool (`math.add`). */
    private readonly rateOf: (name: string) => CallRate | undefined,
    /** Living workers of a toolset, this one included. */
    private readonly workersOf: (toolset: string) => number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Undefined when the call may start and has been counted; otherwise the time until a call may start. */
  take(toolName: string): number | undefined {
    const limits = this.limitsOf(toolName);
    const waitMs = Math.max(0, ...limits.map(({ bucket, parts }) => bucket.waitMs(1, parts)));
    if (waitMs > 0) return waitMs;
    for (const { bucket } of limits) bucket.take(1);
    return undefined;
  }

  /** Uncounts a call that did not start here. */
  giveBack(toolName: string): void {
    for (const { bucket } of this.limitsOf(toolName)) bucket.giveBack(1);
  }

  /** Counts a call that starts regardless of the limit, because it was admitted before. */
  count(toolName: string): void {
    for (const { bucket } of this.limitsOf(toolName)) bucket.take(1);
  }

  private limitsOf(toolName: string): LimitedBy[] {
    const toolset = toolsetOf(toolName);
    return [toolset, toolName].flatMap((name) => {
      const rate = this.rateOf(name);
      if (!rate) return [];
      const parts = this.workersOf(toolset);
      const { calls: count, perMs } = rate;
      const bucket = this.buckets.get(name) ?? new TokenBucket({ count, perMs }, parts, this.clock);
      this.buckets.set(name, bucket);
      return [{ bucket, parts }];
    });
  }
}
