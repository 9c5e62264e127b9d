import type { Random } from './random.port.js';

export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

/**
 * How long to wait after `failures` failures that followed each other (0: the first): twice as long each time, less a
 * random half, so that those that lost the same thing together do not come back together.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffLimits, random: Random): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** failures);
  return wholeMs * (0.5 + random.float() / 2);
}
