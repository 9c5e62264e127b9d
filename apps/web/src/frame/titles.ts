import type { ConversationSummary } from '../connection/http.js';
import type { HeldConversation } from '../conversation/conversations.js';
import { isUnnamed, titleFrom } from '../conversation/conversation-title.js';

/** Its title, or the beginning of its first message until it has one. */
export function titleOf(
  summary: ConversationSummary | undefined,
  held: HeldConversation | undefined,
): string {
  const title = (summary?.title ?? held?.view.title ?? '').trim();
  if (!isUnnamed(title)) return title;
  const first = held?.earlierTurns[0] ?? held?.view.turns[0];
  if (first?.number === 1) return titleFrom(first.content);
  if (summary?.opening) return titleFrom(summary.opening);
  return title || 'New conversation';
}

/** The heading above the thread: none on an empty page, and none for a conversation that does not exist. */
export function headingOf(
  id: string | undefined,
  summary: ConversationSummary | undefined,
  held: HeldConversation | undefined,
): string | undefined {
  const isMissing = held?.problem?.code === 'not_found';
  return id === undefined || isMissing ? undefined : titleOf(summary, held);
}
