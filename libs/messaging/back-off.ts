import type { BackOffLimits } from '#time';

/** The pauses between attempts to reach the broker or to store a dead letter. */
export const BACK_OFF: BackOffLimits = { firstMs: 100, longestMs: 5_000 };
