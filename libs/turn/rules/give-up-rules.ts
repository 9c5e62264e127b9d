import {
  errorDetail,
  type Claim,
  type ErrorDetail,
  type Journal,
  type Outcome,
  type Switch,
} from '#contracts';
import { endingStep, holderOf, nextStepNumber, type OpenCall } from '../journal/journal.js';
import { failedOutcome, mayHaveRun } from '../journal/outcomes.js';
import type { CallAction } from './call-rules.js';

/** What is left to do to stop a turn, for the process that stops it: gateway or driver. */
export type StopAction =
  /** Insert a `cancel` row under this number. If another row has the number, read that row and decide again. */
  | { do: 'commit_cancel'; n: number }
  /** The turn has ended: read it again, and claim every open call, or find it claimed. */
  | { do: 'release' };

export function decideStop(journal: Journal): StopAction {
  return endingStep(journal) ? { do: 'release' } : { do: 'commit_cancel', n: nextStepNumber(journal) };
}

/** What follows from the row that stands as a call's first claim, after an attempt to insert a settle claim. */
export type CompetedAction =
  | { do: 'settle'; outcome: Outcome }
  /** A worker had claimed the call to run, so that worker ends it. The owner of a stopped call is told. */
  | { do: 'leave' }
  | { do: 'cancel'; owner: string };

export function decideAfterCompeting(stands: Claim, wanted: Outcome): CompetedAction {
  if (stands.purpose === 'settle' && stands.decides) return { do: 'settle', outcome: stands.decides };
  const isStopped = wanted.error?.error_type === 'Cancelled';
  return isStopped && stands.purpose === 'run' ? { do: 'cancel', owner: stands.owner } : { do: 'leave' };
}

/** For a call that ends because of the switch. `wasClaimed`: a worker that is lost may have begun it. */
export function pausedDetail(
  toolName: string,
  { kind, reason }: Switch,
  { wasClaimed }: { wasClaimed: boolean },
): ErrorDetail {
  const what = kind === 'toolset' ? `The toolset of ${toolName}` : toolName;
  const why = reason === undefined ? '' : `: ${reason}`;
  const message = `${what} is paused by an operator${why}`;
  return errorDetail(
    'DependencyUnavailable',
    endedSentence(message),
    wasClaimed ? { paused: true } : { started: false, paused: true },
  );
}

/**
 * Decides about a call that no worker takes (`notTaken` says why): the worker that ran it is dead, and there is no
 * other worker to run it again.
 */
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

function endedSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
