import { randomUUID } from 'node:crypto';
import { decodeMessage, type DeadLetter, type Message } from '#contracts';
import { kindOfQueue, type Bus, type PublishOutcome } from '#messaging';
import type { Logger } from '#observability';
import type { Store } from '#store';
import type { User } from '../auth/user.js';
import { notFound, RequestError } from '../errors/request-error.js';

const RETRY_AFTER_MS = 5_000;

/** A dead letter without its content. */
export type DeadLetterSummary = Omit<DeadLetter, 'content'>;

export interface DeadLettersDeps {
  store: Store;
  bus: Pick<Bus, 'publish'>;
  log: Pick<Logger, 'info'>;
}

/**
 * What operators do with what the broker gave up on. Every message is a hint, so that a replay of what has been
 * settled, or two at once, change nothing.
 */
export class DeadLetters {
  constructor(private readonly deps: DeadLettersDeps) {}

  /** Newest first. */
  async list(limit: number): Promise<DeadLetterSummary[]> {
    return (await this.deps.store.listDeadLetters(limit)).map(withoutContent);
  }

  async show(id: string): Promise<DeadLetter> {
    const letter = await this.deps.store.getDeadLetter(id);
    if (!letter) throw notFound();
    return letter;
  }

  /** Puts the message into the queue that it died in. The copy has an id of its own: should it die, too, that is another letter. */
  async replay(user: User, id: string): Promise<DeadLetterSummary> {
    const { store, bus, log } = this.deps;
    const letter = await this.show(id);
    const message = readable(letter);
    const outcome = await bus.publish(letter.queue, { ...message, id: randomUUID() });
    log.info({ audit: 'dead_letter_replayed', dead_letter: id, user_id: user.id, outcome }, 'dead letter');
    if (outcome !== 'confirmed') throw refusal(outcome, letter.queue);
    const replay = { replayed_at: new Date().toISOString(), replayed_by: user.id };
    await store.noteReplay(id, replay);
    return { ...withoutContent(letter), ...replay };
  }

  async discard(user: User, id: string): Promise<void> {
    await this.show(id);
    await this.deps.store.removeDeadLetter(id);
    this.deps.log.info({ audit: 'dead_letter_discarded', dead_letter: id, user_id: user.id }, 'dead letter');
  }
}

/** Nobody would accept what cannot be read: it would only die again. */
function readable({ queue, content }: DeadLetter): Message {
  const kind = kindOfQueue(queue);
  if (!kind) throw new RequestError('invalid', `It cannot be replayed: there is no queue ${queue}.`);
  const decoded = decodeMessage(Buffer.from(content), kind);
  if (!decoded.ok) throw new RequestError('invalid', `It cannot be replayed: ${decoded.reason}.`);
  return decoded.message;
}

function refusal(outcome: Exclude<PublishOutcome, 'confirmed'>, queue: string): RequestError {
  switch (outcome) {
    case 'returned':
      return new RequestError('unavailable', `The queue ${queue} does not exist now.`, RETRY_AFTER_MS);
    case 'refused':
      return new RequestError('overloaded', `The queue ${queue} is full.`, RETRY_AFTER_MS);
    case 'unknown':
      return new RequestError('unavailable', 'The broker did not answer. Try again.', RETRY_AFTER_MS);
  }
}

function withoutContent({ content: _content, ...summary }: DeadLetter): DeadLetterSummary {
  return summary;
}
