import type { Journal } from '#contracts';
import { endingStep, holderOf, openCalls } from '../journal/journal.js';
import { approvalExpiry } from './call-rules.js';
import type { CallSituation } from './call-rules.js';
import { decideCalls, type CallDecision } from './decide.js';

/** What the sweeper does about a turn that is due. */
export type SweepAction =
  /** The turn has ended: do what its open calls need, and stop sweeping it when it has none. */
  | { do: 'finish'; calls: CallDecision[] }
  /** The turn is parked: nothing changes until a person answers or an approval expires. */
  | { do: 'leave' }
  /** Send a hint to its driver, or to any orchestrator if it has none. */
  | { do: 'wake' };

export function decideSweep(journal: Journal, situation: Omit<CallSituation, 'stopped'>): SweepAction {
  const end = endingStep(journal);
  const calls = decideCalls(journal, { ...situation, stopped: end !== undefined && end.kind !== 'model' });
  if (end) return { do: 'finish', calls };
  return calls.length > 0 && calls.every(({ action }) => action.do === 'await_person')
    ? { do: 'leave' }
    : { do: 'wake' };
}

const SHORT_MS = 30_000;
const LONG_MS = 600_000;

/**
 * How long the sweeper may leave a parked turn alone. A worker that asks a person may die meanwhile, so half a minute.
 * While calls wait only for approval, two things can happen: an answer, which makes the turn due, or the end of their
 * time. Then the sweeper waits half as long as they have waited, so that thousands of them cost little.
 */
export function parkedCheckMs(journal: Journal, now: number): number {
  const open = openCalls(journal);
  if (open.some(({ call }) => holderOf(journal, call.tool_call_id))) return SHORT_MS;
  const waitedMs = now - Math.max(0, ...open.map(({ step }) => Date.parse(step.at)));
  const ends = open.map(({ call, step }) => Date.parse(approvalExpiry(step, call)));
  const leftMs = Math.min(Infinity, ...ends) - now;
  const longest = Math.min(LONG_MS, Math.max(SHORT_MS, waitedMs / 2));
  return Math.max(0, Math.min(longest, Math.max(leftMs, 1_000)));
}

/** True when no process needs to look at the turn again: it has ended, and each of its calls has an outcome. */
export function isSettled(journal: Journal): boolean {
  return endingStep(journal) !== undefined && openCalls(journal).length === 0;
}
