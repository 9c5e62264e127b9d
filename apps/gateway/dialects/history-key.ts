import { createHash, type Hash } from 'node:crypto';
import { foldHistory, type Exchange } from '../turns/fold-history.js';

/**
 * Names what was said: the same texts in the same order have the same key, and hardly anything else has. Blanks around
 * a text do not count, because clients trim.
 */
export class HistoryKey {
  private readonly hash: Hash = createHash('sha256');
  /** The last message, if it was not answered: the next one is told together with it. */
  private readonly unanswered: string | undefined;
  private readonly isEmpty: boolean;

  /** `exchanges` as `foldHistory` makes them, all of them. */
  constructor(exchanges: readonly Exchange[]) {
    const last = exchanges.at(-1);
    const isOpen = last !== undefined && last.assistant === '';
    for (const exchange of isOpen ? exchanges.slice(0, -1) : exchanges) add(this.hash, exchange);
    this.unanswered = isOpen ? last.user : undefined;
    this.isEmpty = exchanges.length === 0;
  }

  /** Undefined when nothing was said, or the last thing that was said has no answer. */
  get value(): string | undefined {
    if (this.isEmpty || this.unanswered !== undefined) return undefined;
    return this.hash.copy().digest('base64url');
  }

  /** The key once this was said, too; undefined without an answer: then the client will tell it in another way. */
  after(user: string, assistant: string): string | undefined {
    if (user.trim() === '' || assistant.trim() === '') return undefined;
    const said = [this.unanswered ?? '', user].map((text) => ({ role: 'user' as const, text }));
    const hash = this.hash.copy();
    for (const exchange of foldHistory([...said, { role: 'assistant', text: assistant }]))
      add(hash, exchange);
    return hash.digest('base64url');
  }
}

function add(hash: Hash, { user, assistant }: Exchange): void {
  hash.update(JSON.stringify([user.trim(), assistant.trim()]));
}
