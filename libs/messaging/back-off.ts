import type { BackOffLimits } from '#time';

/** Between tries to reach the broker, or to have a dead letter stored. */
export const BACK_OFF: BackOffLimits = { firstMs: 100, longestMs: 5_000 };
