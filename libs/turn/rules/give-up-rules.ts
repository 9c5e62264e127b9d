import type { Claim, ErrorDetail, Journal, Outcome } from '#contracts';
import type { CallAction } from './call-rules.js';
import { endingStep, holderOf, nextStepNumber, type OpenCall } from '../journal/journal.js';
import { failedOutcome, mayHaveRun } from '../journal/outcomes.js';

/** What is left to do to stop a turn, by whoever does it: gateway or driver. */
export type StopAction =
  /** Insert a `cancel` row under this number. Lost: read what stands there and ask again. */
  | { do: 'commit_cancel'; n: number }
  /** It has an end: read it anew, and claim or find claimed every open call. */
  | { do: 'release' };

export function decideStop(journal: Journal): StopAction {
  return endingStep(journal) ? { do: 'release' } : { do: 'commit_cancel', n: nextStepNumber(journal) };
}

/** What follows from the row that stands as a call's first claim, after an attempt to insert a settle claim. */
export type CompetedAction =
  | { do: 'settle'; outcome: Outcome }
  /** Somebody had claimed it to run: it is theirs to end. A stopped call's owner is told. */
  | { do: 'leave' }
  | { do: 'cancel'; owner: string };

export function decideAfterCompeting(stands: Claim, wanted: Outcome): CompetedAction {
  if (stands.purpose === 'settle' && stands.decides) return { do: 'settle', outcome: stands.decides };
  const isStopped = wanted.error?.error_type === 'Cancelled';
  return isStopped && stands.purpose === 'run' ? { do: 'cancel', owner: stands.owner } : { do: 'leave' };
}

/** A call that no worker takes (`notTaken` says why): whoever ran it is dead, and nobody is there to run it again. */
export function decideNotTaken(
  journal: Journal,
  { step, call }: OpenCall,
  notTaken: ErrorDetail,
  by: { me: string; now: number },
): CallAction {
  const holder = holderOf(journal, call.tool_call_id);
  if (holder?.purpose === 'settle') {
    return holder.decides ? { do: 'settle', outcome: holder.decides } : { do: 'nothing' };
  }
  const error = holder && call.class !== 'read' ? mayHaveRun() : notTaken;
  const settler = { worker: by.me, attempt: holder?.n ?? 0, at: new Date(by.now).toISOString() };
  return { do: holder ? 'settle' : 'compete', outcome: failedOutcome(step, call, error, settler) };
}
