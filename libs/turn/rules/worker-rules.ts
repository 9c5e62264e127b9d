import { errorDetail, type ErrorDetail, type ToolClass } from '#contracts';
import { mayRunAgain } from './call-rules.js';

/** Nobody waits any more for a call that is so much older than its deadline. */
const STALE_MS = 3_600_000;

export type DeliveryAction =
  /** Insert claim 1, without reading first. */
  | { do: 'claim' }
  /** Compete for claim 1 with this end: it must not start any more. */
  | { do: 'refuse'; error: ErrorDetail }
  | { do: 'drop' };

/** What a worker does with a call that was delivered, by the call's deadline (ms since epoch). */
export function decideDelivery(deadline: number, now: number): DeliveryAction {
  if (now > deadline + STALE_MS) return { do: 'drop' };
  if (now <= deadline) return { do: 'claim' };
  const message = 'No worker started this call before its deadline.';
  return { do: 'refuse', error: errorDetail('TimeoutError', message, { started: false }) };
}

/** What follows when the tool's own connection broke in the middle of a run. */
export type LostConnectionAction = 'unknown' | 'give_up' | 'claim_again';

export function decideLostConnection(run: {
  class: ToolClass;
  attempt: number;
  /** How many attempts there may be in all. */
  attempts: number;
  /** Told to stop meanwhile. */
  stopped: boolean;
}): LostConnectionAction {
  if (!mayRunAgain(run.class)) return 'unknown';
  return run.attempt >= run.attempts || run.stopped ? 'give_up' : 'claim_again';
}
