import type { Claim, Outcome } from '#contracts';

/** The work that a claim is on and its claimant, stamped (ISO 8601). */
export interface ClaimBy {
  turn_id: string;
  conversation_id: string;
  owner: string;
  at: string;
  evidence?: Claim['evidence'];
  nonce?: string;
}

/** The right to do a piece of work (a turn or a call) under this attempt. */
export function runClaim(workId: string, attempt: number, by: ClaimBy): Claim {
  const { turn_id, conversation_id, owner, at, evidence, nonce } = by;
  const claim = { _id: `${workId}:${attempt}`, turn_id, conversation_id, owner, n: attempt, at };
  return { ...claim, purpose: 'run', ...(evidence && { evidence }), ...(nonce && { nonce }) };
}

/**
 * Keeps a call from ever starting. The claim states the whole outcome, so that any process that reads the claim can
 * insert exactly that outcome.
 */
export function settleClaim(outcome: Outcome, owner: string): Claim {
  const { _id, turn_id, conversation_id, at } = outcome;
  return {
    ...runClaim(_id, 1, { turn_id, conversation_id, owner, at }),
    purpose: 'settle',
    decides: outcome,
  };
}
