import { createHash } from 'node:crypto';
import { foldHistory, type Exchange } from '../../turns/fold-history.js';

/** The exchanges as plain data, because they may come from a thread. */
export interface HistoryDigest {
  /** The key of all answered exchanges. */
  hash: string;
  isEmpty: boolean;
  /** The last message, if it was not answered; it is sent together with the next one. */
  unanswered?: string;
  /** The unanswered text is too long to be sent again. */
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
 * Names a history: the same texts in the same order have the same key, and practically nothing else does. White space
 * around a text does not count, because clients trim it.
 */
export class HistoryKey {
  constructor(private readonly said: HistoryDigest) {}

  /** Undefined for an empty history, or when the last message has no answer. */
  get value(): string | undefined {
    const { hash, isEmpty, unanswered, isEndless } = this.said;
    return isEmpty || unanswered !== undefined || isEndless ? undefined : hash;
  }

  /**
   * The key after this exchange. Undefined without an answer, because the client will then send the exchange
   * differently.
   */
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
