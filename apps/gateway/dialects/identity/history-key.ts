import { createHash } from 'node:crypto';
import { foldHistory, type Exchange } from '../../turns/fold-history.js';

/** What was said, as plain data: it may come out of a thread. */
export interface HistoryDigest {
  /** Of all exchanges that were answered. */
  hash: string;
  isEmpty: boolean;
  /** The last message, if it was not answered: the next one is told together with it. */
  unanswered?: string;
  /** What was not answered is too long to be told again. */
  isEndless?: boolean;
}

const MAX_UNANSWERED_LENGTH = 400_000;

/** `exchanges` as `foldHistory` makes them, all of them. */
export function digestHistory(exchanges: readonly Exchange[]): HistoryDigest {
  const last = exchanges.at(-1);
  const isOpen = last !== undefined && last.assistant === '';
  const hash = hashOf('', isOpen ? exchanges.slice(0, -1) : exchanges);
  const isEmpty = exchanges.length === 0;
  if (!isOpen) return { hash, isEmpty };
  return last.user.length > MAX_UNANSWERED_LENGTH
    ? { hash, isEmpty, isEndless: true }
    : { hash, isEmpty, unanswered: last.user };
}

/**
 * Names what was said: the same texts in the same order have the same key, and hardly anything else has. Blanks around
 * a text do not count, because clients trim.
 */
export class HistoryKey {
  constructor(private readonly said: HistoryDigest) {}

  /** Undefined when nothing was said, or the last thing that was said has no answer. */
  get value(): string | undefined {
    const { hash, isEmpty, unanswered, isEndless } = this.said;
    return isEmpty || unanswered !== undefined || isEndless ? undefined : hash;
  }

  /** The key once this was said, too; undefined without an answer: then the client will tell it in another way. */
  after(user: string, assistant: string): string | undefined {
    const { hash, unanswered = '', isEndless } = this.said;
    if (isEndless || user.trim() === '' || assistant.trim() === '') return undefined;
    const said = [unanswered, user].map((text) => ({ role: 'user' as const, text }));
    return hashOf(hash, foldHistory([...said, { role: 'assistant', text: assistant }]));
  }
}

function hashOf(before: string, exchanges: readonly Exchange[]): string {
  return exchanges.reduce(
    (hash, { user, assistant }) =>
      createHash('sha256')
        .update(hash)
        .update(JSON.stringify([user.trim(), assistant.trim()]))
        .digest('base64url'),
    before,
  );
}
