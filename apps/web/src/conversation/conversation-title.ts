const LONGEST_TITLE = 60;

/** The server's title for a conversation without a name. */
const unnamed = new Set(['', 'New Conversation']);

export const isUnnamed = (title: string): boolean => unnamed.has(title.trim());

/** The beginning of the first message, cut between words if possible. */
export function titleFrom(content: string): string {
  const text = content.trim().replace(/\s+/g, ' ');
  if (text.length <= LONGEST_TITLE) return text;
  const cut = text.slice(0, LONGEST_TITLE).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.replace(/\s+\S{0,15}$/, '')}…`;
}
