import type { Step } from '#contracts';
import type { AllRows } from '../port/rows.port.js';

/** Implements `Store.removeTurns`. The rows from which the others are found are removed last. */
export async function removeTurns(
  { turns, steps, claims, outcomes, answers, artifacts, dead_letters }: AllRows,
  conversationId: string,
  turnIds: string[],
  keep: 'ids' | 'nothing',
): Promise<void> {
  const ofConversation = { conversation_id: conversationId };
  const hint = { within: ofConversation };
  const ofTurns = { among: { field: 'turn_id', values: turnIds }, hint } as const;
  await Promise.all([
    outcomes.remove(ofTurns),
    answers.remove(ofTurns),
    dead_letters.remove({ among: ofTurns.among }),
    artifacts.remove({ equals: ofConversation }),
    keep === 'ids' ? claims.change(ofTurns, { unset: ['decides'] }) : claims.remove(ofTurns),
  ]);
  if (keep === 'ids') await steps.change(ofTurns, { set: EMPTY_STEP, unset: ['error', 'spent'] });
  else await steps.remove(ofTurns);
  await turns.remove({ among: { field: '_id', values: turnIds }, hint });
}

/**
 * The content of a step whose turn was removed. Its `_id` stays taken, and a process that loses an insert against it
 * reads an end.
 */
const EMPTY_STEP = {
  kind: 'cancel',
  attempt: 0,
  blocks: [],
  calls: [],
  stop_reason: null,
  usage: null,
} as const satisfies Partial<Step>;
