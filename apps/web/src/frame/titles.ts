import type { ConversationSummary } from '../connection/http.js';
import type { HeldConversation } from '../conversation/conversations.js';

const LONGEST_TITLE = 80;
/** What the server calls a conversation that nobody has named. */
const unnamed = new Set(['', 'New Conversation']);

/** Its title; until it has one, the beginning of what was said first. */
export function titleOf(
  summary: ConversationSummary | undefined,
  held: HeldConversation | undefined,
): string {
  const title = (summary?.title ?? held?.view.title ?? '').trim();
  if (!unnamed.has(title)) return title;
  const first = held?.earlierTurns[0] ?? held?.view.turns[0];
  if (first?.number === 1) return first.content.trim().replace(/\s+/g, ' ').slice(0, LONGEST_TITLE);
  return title || 'New conversation';
}
