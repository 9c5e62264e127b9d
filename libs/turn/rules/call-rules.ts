import {
  errorDetail,
  type Answer,
  type Call,
  type Claim,
  type ErrorDetail,
  type Outcome,
  type Step,
  type StoodBack,
  type ToolClass,
} from '#contracts';
import { failedOutcome, mayHaveRun, neverStarted } from '../journal/outcomes.js';
import { DEFAULT_BUDGETS } from './budgets.js';
import type { Liveness } from './liveness.js';
import { decideStopped } from './stopped-calls.js';

export interface CallState {
  step: Step;
  call: Call;
  /** By attempt. */
  claims: Claim[];
  outcome?: Outcome;
  approval?: Answer;
  /** A question to a person that has no answer yet. */
  asking: boolean;
  /** Its driver held it back until then, ms since epoch; `Infinity`: the driver still holds it. */
  releasedAt?: number;
}

export interface CallSituation {
  /** A `cancel` or `fail` row ended the turn. */
  stopped: boolean;
  /** Ms since epoch. */
  now: number;
  /** The deciding process's id. */
  me: string;
  liveness: (processId: string) => Liveness;
  /** Until when the deciding process has held a call back; undefined: not held back. */
  releasedAt?: (toolCallId: string) => number | undefined;
  /** For a stopped call: the workers known to have stood back from it. */
  stoodBack?: StoodBack[];
}

/**
 * What to do about one call, for any process that looks at it: the driver, the sweeper, or the process that stops the
 * turn.
 */
export type CallAction =
  /** The call has an outcome, or a living worker runs it. */
  | { do: 'nothing' }
  | { do: 'await_person' }
  /** No one answered in time: insert this answer. */
  | { do: 'expire'; answer: Answer }
  /** Publish it (again) to its toolset's queue. */
  | { do: 'publish' }
  /** Insert claim 1 with `purpose: settle` and this outcome; only if that wins, insert the outcome. */
  | { do: 'compete'; outcome: Outcome }
  /** Insert the outcome: a claim already allows it. */
  | { do: 'settle'; outcome: Outcome }
  /** Tell the owners that may be running it to stop; send `stoodBack` along. */
  | { do: 'cancel'; owners: string[]; stoodBack: StoodBack[] };

export function decideCall(state: CallState, situation: CallSituation): CallAction {
  if (state.outcome) return { do: 'nothing' };
  const holder = state.claims.at(-1);
  if (!holder) return decideUnclaimed(state, situation);
  if (holder.purpose === 'settle')
    return holder.decides ? { do: 'settle', outcome: holder.decides } : { do: 'nothing' };
  return decideClaimed(state, holder, situation);
}

function decideUnclaimed(
  { step, call, approval, asking, releasedAt }: CallState,
  { stopped, now, me }: CallSituation,
): CallAction {
  const compete = (error: ErrorDetail): CallAction => ({
    do: 'compete',
    outcome: failedOutcome(step, call, error, { worker: me, attempt: 0, at: new Date(now).toISOString() }),
  });
  if (stopped) return compete(neverStarted());
  if (call.refusal) return compete(call.refusal);
  if (approval?.decision === 'deny')
    return compete(
      errorDetail('PermissionError', `A person (${approval.by}) denied this call. It was not run.`),
    );
  if (approval?.decision === 'expired')
    return compete(errorDetail('PermissionError', 'No one approved this call in time, so it was not run.'));
  if (call.approval === 'required' && !approval) return awaitApproval(step, call, now);
  if (asking) return { do: 'await_person' };
  if (now > deadlineOf(step, call, approval, releasedAt)) {
    return compete(
      errorDetail('TimeoutError', 'No worker started this call before its deadline.', { started: false }),
    );
  }
  return { do: 'publish' };
}

function awaitApproval(step: Step, call: Call, now: number): CallAction {
  const answer = expiredApproval(step, call, now);
  return answer ? { do: 'expire', answer } : { do: 'await_person' };
}

/**
 * The answer in place of a person who did not answer in time. Expiry is an answer too: like any other, it is given
 * once, and the turn's clock starts again with it.
 */
export function expiredApproval(step: Step, call: Call, now: number): Answer | undefined {
  if (now <= Date.parse(approvalExpiry(step, call))) return undefined;
  const { turn_id, conversation_id } = step;
  const at = new Date(now).toISOString();
  const answer = { turn_id, conversation_id, decision: 'expired' as const, by: 'system', at };
  return { _id: `${call.tool_call_id}:approval`, ...answer };
}

/** When an approval that no one gave expires (ISO 8601). */
export function approvalExpiry(step: Step, call: Call): string {
  return call.expires_at ?? new Date(Date.parse(step.at) + DEFAULT_BUDGETS.approvalMs).toISOString();
}

/** How many workers may try the call in all. */
export function attemptsOf({ max_attempts }: { max_attempts?: number }): number {
  return max_attempts ?? DEFAULT_BUDGETS.callAttempts;
}

function decideClaimed(
  { step, call, claims, asking }: CallState,
  holder: Claim,
  situation: CallSituation,
): CallAction {
  const liveness = situation.liveness(holder.owner);
  const settle = (error: ErrorDetail): CallAction => {
    const at = new Date(situation.now).toISOString();
    const outcome = failedOutcome(step, call, error, { worker: situation.me, attempt: holder.n, at });
    // This compares two clocks. That is good enough to show how long the call may have run; no decision depends on it.
    const duration_ms = Math.max(0, situation.now - Date.parse(holder.at));
    return { do: 'settle', outcome: { ...outcome, duration_ms } };
  };
  if (situation.stopped) {
    const next = decideStopped(claims, situation);
    return next.do === 'settle' ? settle(next.error) : next;
  }
  if (liveness === 'alive') return asking ? { do: 'await_person' } : { do: 'nothing' };
  if (!mayRunAgain(call.class)) return liveness === 'dead' ? settle(mayHaveRun()) : { do: 'nothing' };
  const attempts = attemptsOf(call);
  if (holder.n < attempts) return { do: 'publish' };
  return liveness === 'dead'
    ? settle(
        errorDetail(
          'ToolExecutionError',
          attempts === 1
            ? 'Gave up after its worker was lost while running it.'
            : `Gave up after ${attempts} workers were lost while running it.`,
        ),
      )
    : { do: 'nothing' };
}

/** Only `once` never starts a second time. */
export function mayRunAgain(toolClass: ToolClass): boolean {
  return toolClass !== 'once';
}

/**
 * The last moment at which a worker may start the call, ms since epoch. The call's time does not run while its driver
 * holds it back.
 */
export function deadlineOf(
  step: Step,
  call: Call,
  approval?: Pick<Answer, 'at'>,
  releasedAt = -Infinity,
): number {
  const from = Math.max(Date.parse(approval?.at ?? step.at), releasedAt);
  return from + (call.queueing_ms ?? DEFAULT_BUDGETS.queueingMs) + call.timeout_ms;
}

/**
 * What a worker finds when attempt 1 was already claimed, and what follows (docs/architecture.md, "Claim and settle").
 */
export type LostClaimAction =
  | { do: 'hint' }
  | { do: 'settle'; outcome: Outcome }
  | { do: 'ignore' }
  | { do: 'claim_again'; attempt: number };

export function decideLostClaim(
  found: { claims: Claim[]; outcome?: Outcome | null },
  work: { class: ToolClass; me: string; liveness: (processId: string) => Liveness; max_attempts?: number },
): LostClaimAction {
  if (found.outcome) return { do: 'hint' };
  const holder = found.claims.at(-1);
  if (!holder) return { do: 'ignore' };
  if (holder.purpose === 'settle')
    return holder.decides ? { do: 'settle', outcome: holder.decides } : { do: 'ignore' };
  if (work.liveness(holder.owner) === 'alive') return { do: 'ignore' };
  if (mayRunAgain(work.class) && holder.n < attemptsOf(work))
    return { do: 'claim_again', attempt: holder.n + 1 };
  return { do: 'ignore' };
}

/** Decides only after winning attempt 2 or later: what the rows read **after** the claim allow. */
export function decideAfterReclaim(read: {
  step?: Step | null;
  outcome?: Outcome | null;
  /** The row after the step that asks. */
  next?: Step | null;
}): 'run' | 'settled' | 'stopped' | 'uncommitted' {
  if (read.outcome) return 'settled';
  if (!read.step) return 'uncommitted';
  if (read.next && (read.next.kind === 'cancel' || read.next.kind === 'fail')) return 'stopped';
  return 'run';
}
