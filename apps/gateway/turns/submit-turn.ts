import {
  MAX_CONTENT_LENGTH,
  isEndedStatus,
  type ClientAnswer,
  type ClientRequest,
  type Conversation,
  type Turn,
} from '#contracts';
import type { FaultPoint } from '#faults';
import type { Bus } from '#messaging';
import type { Logger, Refusals } from '#observability';
import type { Store } from '#store';
import type { Time } from '#time';
import { endingStep } from '#turn';
import type { User } from '../people/auth/user.js';
import type { OfferedModels } from '../catalogue/offered-models.js';
import { newConversation } from './conversations.js';
import type { Ownership } from './ownership.js';
import { notFound, RequestError } from '../errors/request-error.js';
import { canGoOn, insertBehind, type GoingOn } from './go-on.js';
import type { Exchange } from './fold-history.js';
import { countRowsToImport, importHistory } from './import-history.js';
import { newTurn } from './new-turn.js';
import type { BudgetDoor } from '../usage/budget-door.js';
import type { StopTurns } from './stop-turns.js';
import { TurnAnnouncer } from './turn-announcer.js';
import type { TurnDoor, Visit } from './turn-door.js';
import { firstConversationIdOf, turnIdOf } from './turn-ids.js';

const MAX_NUMBER_TRIES = 50;
const RETRY_AFTER_MS = 1_000;

/** A turn that is in the journal: the client may be told. */
export interface AcceptedTurn {
  answer: ClientAnswer<'message'>;
  /** This message started the conversation: nobody can have seen anything of it before. */
  isNewConversation: boolean;
  /** The same message was answered before. */
  isEnded: boolean;
  /** Of the turn in its conversation. */
  number: number;
  /** Tells viewers and orchestrators. Never rejects: without it the sweeper finds the turn. */
  announce(): Promise<void>;
}

/** The conversation that a message starts, as other protocols have it. */
export interface NewPlace {
  /** Made by the caller from the user's id; the message starts it unless it exists. Not besides `conversation_id`. */
  conversationId?: string;
  /** Ms since epoch: such a conversation is in no list. */
  expiresAt?: number;
  /** What was said before; only of a conversation without turns of its own. */
  history?: readonly Exchange[];
  /**
   * Where the same was said already: if it can be gone on with, this is done instead. Not with a client's message id.
   */
  goesOn?: GoingOn;
}

type BeforeInsert = (conversationId: string, turnId: string) => Promise<void>;
type Entering = NewPlace & { beforeInsert: BeforeInsert };

export interface SubmitTurnDeps extends Time {
  store: Store;
  bus: Bus;
  ownership: Ownership;
  stopTurns: StopTurns;
  door: TurnDoor;
  models: Pick<OfferedModels, 'checkTurn'>;
  budgets: Pick<BudgetDoor, 'check'>;
  refusals: Refusals;
  log: Pick<Logger, 'info' | 'warn'>;
  faultPoint: FaultPoint;
}

/**
 * From a user's message to a turn in the journal (docs/architecture.md, "The life of a turn"). The insert is the
 * commit; every id is a hash of what the client sent, so a resend is the same turn through any gateway.
 */
export class SubmitTurn {
  private readonly announcer: TurnAnnouncer;

  constructor(private readonly deps: SubmitTurnDeps) {
    this.announcer = new TurnAnnouncer(deps);
  }

  /**
   * `beforeInsert` runs once the user may write in the conversation: to bind its events before there are any.
   */
  async accept(
    user: User,
    request: ClientRequest<'message'>,
    beforeInsert: BeforeInsert = () => Promise.resolve(),
    place: NewPlace = {},
  ): Promise<AcceptedTurn> {
    if (request.content.length > MAX_CONTENT_LENGTH)
      throw new RequestError('content_too_long', `A message has at most ${MAX_CONTENT_LENGTH} characters.`);
    const visit = this.deps.door.visit(user.id);
    try {
      const entering = { ...place, beforeInsert };
      const goneOn = await this.goOn(visit, user, request, entering);
      return goneOn ?? (await this.enter(visit, user, request, entering));
    } finally {
      visit.end();
    }
  }

  /** Undefined when there is nothing to go on with, or not any more. */
  private async goOn(
    visit: Visit,
    user: User,
    request: ClientRequest<'message'>,
    { goesOn, beforeInsert }: Entering,
  ): Promise<AcceptedTurn | undefined> {
    if (!goesOn) return undefined;
    const { store, models, budgets } = this.deps;
    const { conversationId, after } = goesOn;
    const [conversation, unended] = await Promise.all([
      store.getConversation(conversationId),
      store.countUnendedTurns(user.id),
    ]);
    if (!canGoOn(this.deps.clock, conversation, user.id)) return undefined;
    models.checkTurn(user, request.options, conversation);
    await budgets.check(user, request.options);
    visit.letIn(unended);
    const client_message_id = this.deps.random.id();
    const turnId = turnIdOf(conversationId, client_message_id);
    await beforeInsert(conversationId, turnId);
    const turn = this.turnOf(user, { ...request, client_message_id }, { conversationId, turnId });
    const row = await insertBehind(store, turn, after);
    if (!row) return undefined;
    await this.deps.faultPoint('turn_inserted');
    return this.accepted(user, row, { won: true, isNewConversation: false, unended });
  }

  private async enter(
    visit: Visit,
    user: User,
    request: ClientRequest<'message'>,
    { beforeInsert, ...place }: Entering,
  ): Promise<AcceptedTurn> {
    const { client_message_id = this.deps.random.id() } = request;
    const conversationId =
      request.conversation_id ?? place.conversationId ?? firstConversationIdOf(user.id, client_message_id);
    const turnId = turnIdOf(conversationId, client_message_id);
    const { store, ownership, models, budgets } = this.deps;
    const { history = [] } = place;
    const [conversation, existing, unended, rows] = await Promise.all([
      request.conversation_id === undefined
        ? store.getConversation(conversationId)
        : ownership.conversation(user, conversationId),
      store.getTurn(turnId),
      store.countUnendedTurns(user.id),
      countRowsToImport(store, conversationId, history),
    ]);
    if (conversation && (conversation.deleted_at !== undefined || conversation.user_id !== user.id))
      throw notFound();
    if (!existing) {
      models.checkTurn(user, request.options, conversation);
      await budgets.check(user, request.options);
      visit.letIn(unended, rows);
    }
    await beforeInsert(conversationId, turnId);
    const isNewConversation = conversation === null && (await this.begin(conversationId, user, place));
    if (history.length > 0 && !existing)
      await importHistory(this.deps, { conversationId, userId: user.id }, history);
    const turn = this.turnOf(user, { ...request, client_message_id }, { conversationId, turnId });
    const { won, row, policy } = existing
      ? { won: false, row: existing, policy: conversation?.policy }
      : await this.insert(turn);
    await this.deps.faultPoint('turn_inserted');
    if (policy === 'interrupt' && !isEndedStatus(row.status)) await this.stopEarlier(row);
    const isUnseen = isNewConversation && history.length === 0;
    return this.accepted(user, row, { won, isNewConversation: isUnseen, unended });
  }

  private turnOf(
    { id: userId }: User,
    request: Omit<Parameters<typeof newTurn>[1], 'conversationId' | 'turnId' | 'userId'>,
    ids: { conversationId: string; turnId: string },
  ): Turn {
    return newTurn(this.deps.clock, { ...request, ...ids, userId });
  }

  private accepted(
    user: User,
    row: Turn,
    { won, isNewConversation, unended }: { won: boolean; isNewConversation: boolean; unended: number },
  ): AcceptedTurn {
    const { _id: turn_id, conversation_id, number, status } = row;
    this.logAccepted(user, row, won);
    return {
      answer: { conversation_id, turn_id },
      number,
      isEnded: isEndedStatus(status),
      isNewConversation,
      announce: () => this.announcer.announce(row, won, unended),
    };
  }

  /** What leads from a request, or a client's own id, to everything else that is logged of the turn. */
  private logAccepted({ id: user_id, requestId: request_id }: User, turn: Turn, isNew: boolean): void {
    const { _id: turn_id, conversation_id, client_message_id } = turn;
    const about = { turn_id, conversation_id, user_id, client_message_id, request_id };
    this.deps.log.info(about, isNew ? 'message accepted' : 'message accepted again');
  }

  /** True if nobody else has begun it meanwhile. */
  private async begin(id: string, user: User, { expiresAt }: NewPlace): Promise<boolean> {
    const { store, clock } = this.deps;
    const { won } = await store.insertConversation(newConversation(clock, id, user.id, { expiresAt }));
    return won;
  }

  /** The next number is an insert, too: who finds it taken tries the one after. */
  private async insert(turn: Turn): Promise<{ won: boolean; row: Turn; policy: Conversation['policy'] }> {
    const { store } = this.deps;
    const { conversation_id, at } = turn;
    for (let tries = 0; tries < MAX_NUMBER_TRIES; tries++) {
      const [conversation, lastNumber] = await Promise.all([
        store.getConversation(conversation_id),
        store.lastTurnNumber(conversation_id),
      ]);
      if (!conversation || conversation.deleted_at !== undefined) throw notFound();
      const { policy } = conversation;
      if (policy === 'reject' && (await this.isBusy(turn)))
        throw new RequestError('busy', 'The conversation has a turn that has not ended.', RETRY_AFTER_MS);
      const [inserted] = await Promise.all([
        store.insertTurn({ ...turn, number: lastNumber + 1 }),
        store.updateConversation(conversation_id, { updated_at: at }),
      ]);
      if (inserted !== 'taken') return { ...inserted, policy };
    }
    throw new RequestError('overloaded', 'Too many messages at once in this conversation.', RETRY_AFTER_MS);
  }

  /** The cached status may lag behind the journal, so the journal is asked. */
  private async isBusy(turn: Turn): Promise<boolean> {
    const { store } = this.deps;
    const unended = await store.listUnendedTurns(turn.conversation_id);
    const others = unended.filter((other) => other._id !== turn._id);
    if (others.length === 0) return false;
    const journals = await store.readJournals(turn.conversation_id, others);
    return journals.some((journal) => !endingStep(journal));
  }

  private async stopEarlier(turn: Turn): Promise<void> {
    const unended = await this.deps.store.listUnendedTurns(turn.conversation_id);
    const earlier = unended.filter((other) => other.number < turn.number);
    await Promise.all(earlier.map((other) => this.deps.stopTurns.stop(other._id)));
  }
}
