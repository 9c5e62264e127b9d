import type { Answer, Call, Claim, Outcome } from '#contracts';
import { attemptsOf, mayRunAgain } from '../rules/call-rules.js';
import type { Broken, Invariant } from './invariants.js';

/** Everything that is stored about one call. */
export interface CallRecord {
  call: Call;
  /** By attempt. */
  claims: readonly Claim[];
  outcome?: Outcome | undefined;
  approval?: Answer | undefined;
  /** The user of its turn. */
  userId?: string;
}

/** What the rows of one call break. They must hold at every moment, whatever else is going on. */
export function brokenInCall(record: CallRecord): Broken[] {
  const { call, claims, outcome } = record;
  const broken = [
    ...brokenByClaims(record),
    ...(outcome ? brokenByOutcome(outcome, claims) : []),
    ...(isInOrder(claims) ? [] : ['claims_in_order' as const]),
  ];
  return broken.map((invariant) => ({ invariant, row: call.tool_call_id }));
}

/** Whether the claims on one turn or call are numbered 1, 2, …. */
export function isInOrder(claims: readonly Pick<Claim, 'n'>[]): boolean {
  return claims.every(({ n }, i) => n === i + 1);
}

function brokenByClaims({ call, claims, outcome, approval, userId }: CallRecord): Invariant[] {
  const runs = claims.filter(({ purpose }) => purpose === 'run');
  const settled = claims.find(({ purpose }) => purpose === 'settle');
  return [
    ...(!mayRunAgain(call.class) && runs.length > 1 ? ['once_claimed_once' as const] : []),
    ...(runs.length > attemptsOf(call) ? ['attempts_limited' as const] : []),
    ...(call.approval === 'required' && runs.length > 0 && !isApproved(call, approval, userId)
      ? ['approved_first' as const]
      : []),
    ...(settled && !isFinal(settled, claims, outcome) ? ['settle_is_final' as const] : []),
  ];
}

/** The user of a turn cannot approve what others have to. */
function isApproved({ approvers }: Call, approval: Answer | undefined, userId: string | undefined): boolean {
  const isOwn = approval?.by !== undefined && approval.by === userId;
  return approval?.decision === 'approve' && !(approvers && isOwn);
}

function isFinal(settled: Claim, claims: readonly Claim[], outcome: Outcome | undefined): boolean {
  const { decides } = settled;
  if (claims.length > 1 || !decides) return false;
  return (
    !outcome || (outcome.status === decides.status && outcome.error?.error_type === decides.error?.error_type)
  );
}

function brokenByOutcome({ status, attempt, error }: Outcome, claims: readonly Claim[]): Invariant[] {
  const runs = claims.filter(({ purpose }) => purpose === 'run');
  const isClaimed = attempt === 0 ? claims.length > 0 : runs.some(({ n }) => n === attempt);
  // A call that never ran has failed.
  const isPossible = attempt > 0 || status === 'failure';
  return [
    ...(isClaimed && isPossible ? [] : ['outcome_claimed' as const]),
    ...(error?.error_type === 'OutcomeUnknown' && runs.length === 0 ? ['unknown_was_run' as const] : []),
  ];
}
