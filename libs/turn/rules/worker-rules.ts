import { errorDetail, type ErrorDetail, type ToolClass } from '#contracts';
import { mayRunAgain } from './call-rules.js';

/** A call is stale when it is past its deadline by this much: no process waits for it. */
const STALE_MS = 3_600_000;

export type DeliveryAction =
  /** Insert claim 1 without reading first. */
  | { do: 'claim' }
  /** Compete for claim 1 with this outcome: the call must no longer start. */
  | { do: 'refuse'; error: ErrorDetail }
  | { do: 'drop' };

/** What a worker does with a delivered call, by the call's deadline (ms since epoch). */
export function decideDelivery(deadline: number, now: number): DeliveryAction {
  if (now > deadline + STALE_MS) return { do: 'drop' };
  if (now <= deadline) return { do: 'claim' };
  const message = 'No worker started this call before its deadline.';
  return { do: 'refuse', error: errorDetail('TimeoutError', message, { started: false }) };
}

/** What follows when the tool's own connection broke during a run. */
export type LostConnectionAction = 'unknown' | 'give_up' | 'claim_again';

export function decideLostConnection(run: {
  class: ToolClass;
  attempt: number;
  /** The maximum number of attempts. */
  attempts: number;
  /** The worker was told to stop meanwhile. */
  stopped: boolean;
}): LostConnectionAction {
  if (!mayRunAgain(run.class)) return 'unknown';
  return run.attempt >= run.attempts || run.stopped ? 'give_up' : 'claim_again';
}
