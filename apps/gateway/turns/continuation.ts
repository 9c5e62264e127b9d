import type { Conversation, Turn } from '#contracts';
import type { Store } from '#store';
import type { Clock } from '#time';

/** A point in a conversation of the user: after the turn of this number, which the caller knows has ended. */
export interface Continuation {
  conversationId: string;
  after: number;
}

/** The life that it must have left: the turn has to be read, and may take a while. */
const MIN_LEFT_MS = 12 * 3_600_000;

type ConversationStore = Pick<Store, 'insertTurn' | 'updateConversation'>;

/** Whether a turn may be appended to the conversation. */
export function canContinue(
  clock: Pick<Clock, 'wall'>,
  conversation: Conversation | null,
  userId: string,
): conversation is Conversation {
  if (conversation === null || conversation.deleted_at !== undefined) return false;
  if (conversation.user_id !== userId) return false;
  const { expires_at } = conversation;
  return expires_at === undefined || Date.parse(expires_at) - clock.wall() >= MIN_LEFT_MS;
}

/** Undefined if another turn was inserted first: the other sender of the same history continues elsewhere. */
export async function insertAfter(
  store: ConversationStore,
  turn: Turn,
  after: number,
): Promise<Turn | undefined> {
  const inserted = await store.insertTurn({ ...turn, number: after + 1 });
  if (inserted === 'taken') return undefined;
  await store.updateConversation(turn.conversation_id, { updated_at: turn.at });
  return inserted.row;
}
