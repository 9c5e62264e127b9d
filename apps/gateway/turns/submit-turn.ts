import {
  MAX_CONTENT_LENGTH,
  isEndedStatus,
  type ClientAnswer,
  type ClientRequest,
  type Turn,
} from '#contracts';
import type { FaultPoint } from '#faults';
import type { KnownSwitches } from '#journal';
import type { Bus } from '#messaging';
import type { Logger, Refusals } from '#observability';
import type { Store } from '#store';
import type { Time } from '#time';
import { inSpan, turnAttributes, turnLogFields } from '#tracing';
import type { User } from '../people/auth/user.js';
import type { Roles } from '../people/roles.js';
import type { OfferedModels } from '../catalogue/offered-models.js';
import { notFound, RequestError } from '../errors/request-error.js';
import type { BudgetAdmission } from '../usage/budget-admission.js';
import { newConversation } from './conversations.js';
import type { Ownership } from './ownership.js';
import { canContinue, insertAfter, type Continuation } from './continuation.js';
import type { Exchange } from './fold-history.js';
import { countRowsToImport, importHistory } from './import-history.js';
import { insertNextTurn } from './insert-turn.js';
import { newTurn } from './new-turn.js';
import type { StopTurns } from './stop-turns.js';
import { TurnAnnouncer } from './turn-announcer.js';
import type { PendingTurn, TurnAdmission } from './turn-admission.js';
import { firstConversationIdOf, turnIdOf } from './turn-ids.js';

/** A turn that is in the journal: the client may be told. */
export interface AcceptedTurn {
  answer: ClientAnswer<'message'>;
  /** This message started the conversation, so no viewer can have seen it before. */
  isNewConversation: boolean;
  /** The same message was answered before. */
  isEnded: boolean;
  /** Of the turn in its conversation. */
  number: number;
  /** Tells viewers and orchestrators. Never rejects: without it the sweeper finds the turn. */
  announce(): Promise<void>;
}

/** The conversation that a message starts, in the terms of other protocols. */
export interface ConversationSeed {
  /** The caller derives it from the user's id; the message starts it unless it exists. Not with `conversation_id`. */
  conversationId?: string;
  /** Ms since epoch: such a conversation is in no list. */
  expiresAt?: number;
  /** The history; only for a conversation without turns of its own. */
  history?: readonly Exchange[];
  /**
   * A conversation with the same history: continued instead, if possible. Not with a client's message id.
   */
  continues?: Continuation;
}

/** Clients that try again by themselves wait this long. */
const REFUSED_RETRY_MS = 30_000;

type BeforeInsert = (conversationId: string, turnId: string) => Promise<void>;
type Entering = ConversationSeed & { beforeInsert: BeforeInsert; traceparent: string | undefined };

export interface SubmitTurnDeps extends Time {
  store: Store;
  bus: Bus;
  ownership: Ownership;
  stopTurns: StopTurns;
  admission: TurnAdmission;
  models: Pick<OfferedModels, 'checkTurn'>;
  budgets: Pick<BudgetAdmission, 'check'>;
  roles: Pick<Roles, 'of'>;
  refusals: Refusals;
  switches: Pick<KnownSwitches, 'refusesTurns'>;
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
    place: ConversationSeed = {},
  ): Promise<AcceptedTurn> {
    if (request.content.length > MAX_CONTENT_LENGTH)
      throw new RequestError('content_too_long', `A message has at most ${MAX_CONTENT_LENGTH} characters.`);
    const pending = this.deps.admission.begin(user.id);
    try {
      const options = { kind: 'server', parent: user.traceparent } as const;
      return await inSpan('accept message', options, async (span) => {
        const entering = { ...place, beforeInsert, traceparent: span.traceparent };
        const continued = await this.continueConversation(pending, user, request, entering);
        const accepted = continued ?? (await this.enter(pending, user, request, entering));
        span.set(turnAttributes(accepted.answer));
        return accepted;
      });
    } finally {
      pending.end();
    }
  }

  /** Undefined when there is nothing to continue, or it can no longer be continued. */
  private async continueConversation(
    pending: PendingTurn,
    user: User,
    request: ClientRequest<'message'>,
    { continues, beforeInsert, traceparent }: Entering,
  ): Promise<AcceptedTurn | undefined> {
    if (!continues) return undefined;
    const { store, models, budgets } = this.deps;
    const { conversationId, after } = continues;
    const [conversation, unended] = await Promise.all([
      store.getConversation(conversationId),
      store.countUnendedTurns(user.id),
    ]);
    if (!canContinue(this.deps.clock, conversation, user.id)) return undefined;
    this.checkSwitch(user);
    models.checkTurn(user, request.options, conversation);
    await budgets.check(user, request.options);
    pending.admit(unended);
    const client_message_id = this.deps.random.id();
    const turnId = turnIdOf(conversationId, client_message_id);
    await beforeInsert(conversationId, turnId);
    const message = { ...request, client_message_id, traceparent };
    const turn = await this.turnOf(user, message, { conversationId, turnId });
    const row = await insertAfter(store, turn, after);
    if (!row) return undefined;
    await this.deps.faultPoint('turn_inserted');
    return this.accepted(user, row, { won: true, isNewConversation: false, unended });
  }

  private async enter(
    pending: PendingTurn,
    user: User,
    request: ClientRequest<'message'>,
    { beforeInsert, traceparent, ...place }: Entering,
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
      this.checkSwitch(user);
      models.checkTurn(user, request.options, conversation);
      await budgets.check(user, request.options);
      pending.admit(unended, rows);
    }
    await beforeInsert(conversationId, turnId);
    const isNewConversation = conversation === null && (await this.begin(conversationId, user, place));
    if (history.length > 0 && !existing)
      await importHistory(this.deps, { conversationId, userId: user.id }, history);
    const message = { ...request, client_message_id, traceparent };
    const turn = await this.turnOf(user, message, { conversationId, turnId });
    const { won, row, policy } = existing
      ? { won: false, row: existing, policy: conversation?.policy }
      : await insertNextTurn(store, turn);
    await this.deps.faultPoint('turn_inserted');
    if (policy === 'interrupt' && !isEndedStatus(row.status)) await this.stopEarlier(row);
    const isUnseen = isNewConversation && history.length === 0;
    return this.accepted(user, row, { won, isNewConversation: isUnseen, unended });
  }

  /** A message that was accepted before stays accepted. */
  private checkSwitch({ id: user_id }: User): void {
    const { switches, refusals } = this.deps;
    const { refusesTurns } = switches;
    if (!refusesTurns) return;
    refusals.note('operator', { user_id });
    const { reason = 'New messages are not accepted right now.' } = refusesTurns;
    throw new RequestError('unavailable', reason, REFUSED_RETRY_MS);
  }

  private async turnOf(
    user: User,
    request: Omit<Parameters<typeof newTurn>[1], 'conversationId' | 'turnId' | 'userId' | 'roles'>,
    ids: { conversationId: string; turnId: string },
  ): Promise<Turn> {
    const roles = await this.deps.roles.of(user);
    return newTurn(this.deps.clock, { ...request, ...ids, userId: user.id, roles });
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

  /** Links a request, or a client's own id, to all other log lines of the turn. */
  private logAccepted({ id: user_id, requestId: request_id }: User, turn: Turn, isNew: boolean): void {
    const { conversation_id, client_message_id } = turn;
    const about = { ...turnLogFields(turn), conversation_id, user_id, client_message_id, request_id };
    this.deps.log.info(about, isNew ? 'message accepted' : 'message accepted again');
  }

  /** True unless another process has started it meanwhile. */
  private async begin(id: string, user: User, { expiresAt }: ConversationSeed): Promise<boolean> {
    const { store, clock } = this.deps;
    const { won } = await store.insertConversation(newConversation(clock, id, user.id, { expiresAt }));
    return won;
  }

  private async stopEarlier(turn: Turn): Promise<void> {
    const unended = await this.deps.store.listUnendedTurns(turn.conversation_id);
    const earlier = unended.filter((other) => other.number < turn.number);
    await Promise.all(earlier.map((other) => this.deps.stopTurns.stop(other._id)));
  }
}
