import type { Step } from '#contracts';

/**
 * The content of a step whose turn was removed. Its `_id` stays taken, and a process that loses an insert against it
 * reads an end.
 */
export const EMPTY_STEP = {
  kind: 'cancel',
  attempt: 0,
  blocks: [],
  calls: [],
  stop_reason: null,
  usage: null,
} as const satisfies Partial<Step>;
