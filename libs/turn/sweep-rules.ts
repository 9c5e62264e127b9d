import type { Journal } from '#contracts';
import type { CallSituation } from './call-rules.js';
import { decideCalls, type CallDecision } from './decide.js';
import { endingStep, openCalls } from './journal.js';

/** What the sweeper does about a turn that is due. */
export type SweepAction =
  /** It has ended: do what its open calls need, and forget it when there are none. */
  | { do: 'finish'; calls: CallDecision[] }
  /** Parked: nothing moves until somebody answers, or an approval expires. */
  | { do: 'leave' }
  /** Hint its driver, or anybody if it has none. */
  | { do: 'wake' };

export function decideSweep(journal: Journal, situation: Omit<CallSituation, 'stopped'>): SweepAction {
  const end = endingStep(journal);
  const calls = decideCalls(journal, { ...situation, stopped: end !== undefined && end.kind !== 'model' });
  if (end) return { do: 'finish', calls };
  return calls.length > 0 && calls.every(({ action }) => action.do === 'await_person')
    ? { do: 'leave' }
    : { do: 'wake' };
}

/** True when nobody needs to look at the turn again: it has ended and each of its calls has an outcome. */
export function isSettled(journal: Journal): boolean {
  return endingStep(journal) !== undefined && openCalls(journal).length === 0;
}
