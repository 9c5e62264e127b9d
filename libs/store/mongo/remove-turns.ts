import { EMPTY_STEP } from '../emptied.js';
import type { Collections } from './open-collections.js';

/** `Store.removeTurns`: the rows that the others are found from go last. */
export async function removeTurns(
  { turns, steps, claims, outcomes, answers, artifacts, dead_letters }: Collections,
  conversationId: string,
  turnIds: string[],
  keep: 'ids' | 'nothing',
): Promise<void> {
  const equals = { conversation_id: conversationId };
  await Promise.all([
    outcomes.removeAmong('turn_id', turnIds, equals),
    answers.removeAmong('turn_id', turnIds, equals),
    dead_letters.removeAmong('turn_id', turnIds),
    artifacts.removeAll(equals),
    keep === 'ids'
      ? claims.changeAmong('turn_id', turnIds, { unset: ['decides'] }, equals)
      : claims.removeAmong('turn_id', turnIds, equals),
  ]);
  if (keep === 'ids')
    await steps.changeAmong('turn_id', turnIds, { set: EMPTY_STEP, unset: ['error', 'spent'] }, equals);
  else await steps.removeAmong('turn_id', turnIds, equals);
  await turns.removeAmong('_id', turnIds, equals);
}
