import type { BackOffLimits } from '#time';

/** The pauses between attempts to reach the broker or to store a dead letter. */
export const RECONNECT_BACK_OFF: BackOffLimits = { firstMs: 100, longestMs: 5_000 };
