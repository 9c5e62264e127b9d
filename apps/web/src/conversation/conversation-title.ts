const LONGEST_TITLE = 60;

/** What the server calls a conversation that nobody has named. */
const unnamed = new Set(['', 'New Conversation']);

export const isUnnamed = (title: string): boolean => unnamed.has(title.trim());

/** The beginning of what was said first, cut between words where that is possible. */
export function titleFrom(content: string): string {
  const text = content.trim().replace(/\s+/g, ' ');
  if (text.length <= LONGEST_TITLE) return text;
  const cut = text.slice(0, LONGEST_TITLE).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.replace(/\s+\S{0,15}$/, '')}…`;
}
