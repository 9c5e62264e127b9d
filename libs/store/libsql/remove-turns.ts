import { EMPTY_STEP } from '../emptied.js';
import { inList, type Tables } from './table.js';

const ofTurns = `turn_id ${inList}`;

/** `Store.removeTurns`: the rows that the others are found from go last. */
export function removeTurns(
  { turns, steps, claims, outcomes, answers, artifacts, dead_letters }: Tables,
  conversationId: string,
  turnIds: string[],
  keep: 'ids' | 'nothing',
): void {
  const ids = JSON.stringify(turnIds);
  outcomes.removeWhere(ofTurns, ids);
  answers.removeWhere(ofTurns, ids);
  dead_letters.removeWhere(ofTurns, ids);
  artifacts.removeWhere('conversation_id = ?', conversationId);
  if (keep === 'ids') {
    claims.changeWhere(ofTurns, { unset: ['decides'] }, ids);
    steps.changeWhere(ofTurns, { set: EMPTY_STEP, unset: ['error', 'spent'] }, ids);
  } else {
    claims.removeWhere(ofTurns, ids);
    steps.removeWhere(ofTurns, ids);
  }
  turns.removeWhere(`_id ${inList}`, ids);
}
