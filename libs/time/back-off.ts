import type { Random } from './random.port.js';

export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

/**
 * How long to wait after `failures` consecutive failures (0: the first). The wait doubles each time, less a random
 * half, so that processes that lost the same service do not all return at once.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffLimits, random: Random): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** failures);
  return wholeMs * (0.5 + random.float() / 2);
}
