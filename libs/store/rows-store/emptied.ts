import type { Step } from '#contracts';

/**
 * What is left of a step whose turn was removed: its `_id` stays taken, and whoever loses an insert against it reads
 * an end.
 */
export const EMPTY_STEP = {
  kind: 'cancel',
  attempt: 0,
  blocks: [],
  calls: [],
  stop_reason: null,
  usage: null,
} as const satisfies Partial<Step>;
