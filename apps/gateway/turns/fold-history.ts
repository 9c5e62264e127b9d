/** What a person said elsewhere, and what was answered; no answer is an empty one. */
export interface Exchange {
  user: string;
  assistant: string;
}

/** A message as other protocols send it with each request. */
export interface SaidMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** Stands for what nobody said: no provider takes an empty message, or a conversation that begins with an answer. */
const NOTHING_SAID = '[The assistant spoke first.]';
/** Pairs what was said: messages of one role in a row are one, blank ones are none. */
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
