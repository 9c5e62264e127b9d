import type { Conversation, Turn } from '#contracts';
import type { Store } from '#store';
import { endingStep } from '#turn';
import { notFound, RequestError } from '../errors/request-error.js';

const MAX_NUMBER_TRIES = 50;
const RETRY_AFTER_MS = 1_000;

type TurnsStore = Pick<
  Store,
  | 'getConversation'
  | 'insertTurn'
  | 'lastTurnNumber'
  | 'listUnendedTurns'
  | 'readJournals'
  | 'updateConversation'
>;

export interface InsertedTurn {
  /** Whether this call inserted the row; otherwise the turn existed before. */
  won: boolean;
  row: Turn;
  /** Of the conversation at that moment. */
  policy: Conversation['policy'];
}

/**
 * Appends a turn to its conversation. The insert decides the number: when another turn has it, the next one is tried.
 * Throws `RequestError` when the conversation is gone, busy (policy `reject`), or contended.
 */
export async function insertNextTurn(store: TurnsStore, turn: Turn): Promise<InsertedTurn> {
  const { conversation_id, at } = turn;
  for (let tries = 0; tries < MAX_NUMBER_TRIES; tries++) {
    const [conversation, lastNumber] = await Promise.all([
      store.getConversation(conversation_id),
      store.lastTurnNumber(conversation_id),
    ]);
    if (!conversation || conversation.deleted_at !== undefined) throw notFound();
    const { policy } = conversation;
    if (policy === 'reject' && (await isBusy(store, turn)))
      throw new RequestError('busy', 'The conversation has a turn that has not ended.', RETRY_AFTER_MS);
    const [inserted] = await Promise.all([
      store.insertTurn({ ...turn, number: lastNumber + 1 }),
      store.updateConversation(conversation_id, { updated_at: at }),
    ]);
    if (inserted !== 'taken') return { ...inserted, policy };
  }
  throw new RequestError('overloaded', 'Too many messages at once in this conversation.', RETRY_AFTER_MS);
}

/** The cached status may lag behind the journal, so the journal is asked. */
async function isBusy(store: TurnsStore, turn: Turn): Promise<boolean> {
  const unended = await store.listUnendedTurns(turn.conversation_id);
  const others = unended.filter((other) => other._id !== turn._id);
  if (others.length === 0) return false;
  const journals = await store.readJournals(turn.conversation_id, others);
  return journals.some((journal) => !endingStep(journal));
}
