import type { Call, FailureCode, Journal, Step } from '#contracts';
import {
  answerTo,
  claimsOn,
  endingStep,
  lastQuestion,
  nextStepNumber,
  openCalls,
  waitsForPerson,
  type OpenCall,
} from '../journal/journal.js';
import { countExceeded, timeExceeded, type Budgets } from './budgets.js';
import { deadlineOf, decideCall, type CallAction, type CallSituation, type CallState } from './call-rules.js';
import { isThrashing } from './turn-rules.js';

export interface Situation extends Omit<CallSituation, 'stopped'> {
  budgets: Budgets;
  /** The conversation is marked as deleted. */
  deleted: boolean;
}

/** What a turn needs next. Each open call comes with its decision; no listed call has an outcome. */
export type Action =
  | { do: 'end'; step: Step; calls: CallDecision[] }
  | { do: 'commit_cancel'; n: number }
  | { do: 'commit_fail'; n: number; code: FailureCode; message: string }
  | { do: 'call_model'; n: number }
  /** `parked`: every call without an outcome waits for a person. */
  | { do: 'await_calls'; calls: CallDecision[]; parked: boolean };

/** An open call, and the time until which its driver held it back. */
export interface HeldCall extends OpenCall {
  releasedAt?: number;
}

export interface CallDecision extends HeldCall {
  action: CallAction;
}

/**
 * The write side's whole policy, pure: journal in, next action out. Total and deterministic, so every process that
 * reads the same rows decides the same.
 */
export function decide(journal: Journal, situation: Situation): Action {
  const end = endingStep(journal);
  const calls = decideCalls(journal, { ...situation, stopped: end !== undefined && end.kind !== 'model' });
  if (end) return { do: 'end', step: end, calls };
  const n = nextStepNumber(journal);
  if (situation.deleted) return { do: 'commit_cancel', n };
  const parked = calls.length > 0 && calls.every(({ action }) => action.do === 'await_person');
  // A parked turn is re-read without progress by design.
  if (!parked && isThrashing(journal, situation.budgets)) {
    return {
      do: 'commit_fail',
      n,
      code: 'internal',
      message: `This turn was taken over ${situation.budgets.takeovers} times without progress.`,
    };
  }
  const exceeded =
    (parked ? undefined : timeExceeded(journal, situation.budgets, situation.now)) ??
    (calls.length > 0 ? undefined : countExceeded(journal, situation.budgets));
  if (exceeded) return { do: 'commit_fail', n, code: 'budget_exceeded', message: exceeded };
  return calls.length > 0 ? { do: 'await_calls', calls, parked } : { do: 'call_model', n };
}

/** What to do about each call of the turn that has no outcome. */
export function decideCalls(journal: Journal, situation: CallSituation): CallDecision[] {
  return openCalls(journal).map((open) => decisionOn(journal, open, situation));
}

function decisionOn(journal: Journal, { step, call }: OpenCall, situation: CallSituation): CallDecision {
  const releasedAt = situation.releasedAt?.(call.tool_call_id);
  const action = decideCall({ ...callState(journal, step, call), releasedAt }, situation);
  return { step, call, action, ...(releasedAt === undefined ? {} : { releasedAt }) };
}

/**
 * The last moment at which a worker may start the call, for the first time or again, ms since epoch. It counts from the
 * answer to the call's last question or that question's expiry, because a worker that was lost while it asked a person
 * had been given that time.
 */
export function sendDeadlineOf(journal: Journal, { step, call, releasedAt }: HeldCall): number {
  const asked = lastQuestion(journal, call.tool_call_id);
  const at = asked && (asked.input?.at ?? asked.question.expires_at);
  return deadlineOf(step, call, at ? { at } : answerTo(journal, call.tool_call_id, 'approval'), releasedAt);
}

function callState(journal: Journal, step: Step, call: Call): CallState {
  return {
    step,
    call,
    claims: claimsOn(journal, call.tool_call_id),
    approval: answerTo(journal, call.tool_call_id, 'approval'),
    asking: waitsForPerson(journal, call),
  };
}
