import type { AllRows } from '../port/rows.port.js';
import { EMPTY_STEP } from './emptied.js';

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
