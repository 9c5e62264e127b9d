import {
  decodeMessage,
  letterReasonOf,
  newMessage,
  QUEUE_TYPES,
  type DeadLetter,
  type ListedLetter,
  type Message,
  type ShownLetter,
} from '#contracts';
import { readMessageIds, type ActionLog } from '#journal';
import { kindOfQueue, type Bus, type PublishOutcome } from '#messaging';
import type { Store } from '#store';
import { timestampOf, type Time } from '#time';
import type { User } from '../people/auth/user.js';
import { notFound, RequestError } from '../errors/request-error.js';

const RETRY_AFTER_MS = 5_000;
const PLAIN_NAME = /^[\w.:-]{0,255}$/;

export interface DeadLettersDeps extends Time {
  store: Store;
  bus: Pick<Bus, 'publish'>;
  actions: Pick<ActionLog, 'note'>;
}

/**
 * What operators do with messages that the broker gave up on. Every message is a hint, so replaying a settled one, or
 * two at once, changes nothing.
 */
export class DeadLetters {
  constructor(private readonly deps: DeadLettersDeps) {}

  /** Newest first. */
  async list(limit: number): Promise<ListedLetter[]> {
    return (await this.deps.store.listDeadLetters(limit)).map(listed);
  }

  async show(id: string): Promise<ShownLetter> {
    const letter = await this.read(id);
    return { ...listed(letter), content: letter.content };
  }

  /**
   * Puts a hint into `turns`: a copy of one that died there, or one about the turn of a call or a result, whose
   * arguments are in the journal. It has its own id: if it dies, too, that is another letter.
   */
  async replay(user: User, id: string): Promise<ListedLetter> {
    const { store, bus, actions, clock } = this.deps;
    const letter = await this.read(id);
    const outcome = await bus.publish('turns', await this.hintOf(letter));
    const action = { audit: 'dead_letter_replayed', user_id: user.id, subject: id, status: outcome } as const;
    actions.note(action, { dead_letter: id, outcome });
    if (outcome !== 'confirmed') throw refusal(outcome, 'turns');
    const replay = { replayed_at: timestampOf(clock), replayed_by: user.id };
    await store.noteReplay(id, replay);
    return { ...listed(letter), ...replay };
  }

  async discard(user: User, id: string): Promise<void> {
    await this.read(id);
    await this.deps.store.removeDeadLetter(id);
    const action = { audit: 'dead_letter_discarded', user_id: user.id, subject: id } as const;
    this.deps.actions.note(action, { dead_letter: id });
  }

  private async read(id: string): Promise<DeadLetter> {
    const letter = await this.deps.store.getDeadLetter(id);
    if (!letter) throw notFound();
    // An earlier version has kept whole messages.
    return { ...letter, content: readMessageIds(Buffer.from(letter.content)).kept };
  }

  private async hintOf({ queue, content }: DeadLetter): Promise<Message> {
    const kind = kindOfQueue(queue);
    if (!kind) throw cannotReplay(`there is no queue ${queue}`);
    const bytes = Buffer.from(content);
    const decoded = decodeMessage(bytes, kind);
    if (decoded.ok && decoded.message.type === 'turn.advance')
      return { ...decoded.message, id: this.deps.random.id() };
    const { turnId, type } = readMessageIds(bytes);
    if (kind === 'turns' || turnId === undefined) throw cannotReplay(reasonOf(decoded));
    if (!(QUEUE_TYPES[kind] as readonly unknown[]).includes(type))
      throw cannotReplay(`type ${type} does not belong here`);
    const turn = await this.deps.store.getTurn(turnId);
    if (!turn) throw cannotReplay('its turn no longer exists');
    return newMessage(this.deps, 'turn.advance', { turn_id: turnId, conversation_id: turn.conversation_id });
  }
}

function reasonOf(decoded: ReturnType<typeof decodeMessage>): string {
  return decoded.ok ? 'it names no turn' : decoded.reason;
}

function cannotReplay(reason: string): RequestError {
  return new RequestError('invalid', `This message cannot be replayed: ${reason}.`);
}

function refusal(outcome: Exclude<PublishOutcome, 'confirmed'>, queue: string): RequestError {
  switch (outcome) {
    case 'returned':
      return new RequestError('unavailable', `The queue ${queue} does not exist right now.`, RETRY_AFTER_MS);
    case 'refused':
      return new RequestError('overloaded', `The queue ${queue} is full.`, RETRY_AFTER_MS);
    case 'unknown':
      return new RequestError('unavailable', 'The broker did not answer. Try again.', RETRY_AFTER_MS);
  }
}

/** Whoever may publish to the broker chooses both names, and could write a text there. */
function listed({ content: _content, queue, message_id, ...letter }: DeadLetter): ListedLetter {
  return {
    ...letter,
    queue: PLAIN_NAME.test(queue) ? queue : 'unreadable',
    message_id: PLAIN_NAME.test(message_id) ? message_id : 'unreadable',
    reason: letterReasonOf(letter.reason),
  };
}
