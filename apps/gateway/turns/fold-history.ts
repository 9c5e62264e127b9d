/** A message from elsewhere and its answer; no answer is an empty one. */
export interface Exchange {
  user: string;
  assistant: string;
}

/** A message as other protocols send it with each request. */
export interface SaidMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** Replaces a missing message: no provider accepts an empty message, or a conversation that begins with an answer. */
const NOTHING_SAID = '[The assistant spoke first.]';
/** Pairs messages with answers: consecutive messages of one role become one, and blank ones are dropped. */
export function foldHistory(messages: readonly SaidMessage[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let last: SaidMessage['role'] | undefined;
  for (const { role, text } of messages) {
    if (text.trim() === '') continue;
    if (last === undefined || (role === 'user' && last === 'assistant'))
      exchanges.push({ user: '', assistant: '' });
    const exchange = exchanges.at(-1)!;
    exchange[role] = exchange[role] === '' ? text : `${exchange[role]}\n\n${text}`;
    last = role;
  }
  return exchanges.map(({ user, assistant }) => ({ user: user || NOTHING_SAID, assistant }));
}
