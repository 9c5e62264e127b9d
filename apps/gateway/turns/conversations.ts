import type { Conversation, Policy, ToolChoice, TurnStatus } from '#contracts';
import { markDeleted, type Ports } from '#journal';
import { timestampOf, type Clock } from '#time';
import type { User } from '../people/auth/user.js';
import type { OfferedModels } from '../catalogue/offered-models.js';
import { isNotFound, notFound } from '../errors/request-error.js';
import type { StopTurns } from './stop-turns.js';
import type { TurnAdmission } from './turn-admission.js';
import type { Ownership } from './ownership.js';

export const DEFAULT_TITLE = 'New Conversation';

/** A conversation as HTTP shows it. */
export interface ConversationBody {
  id: string;
  user_id: string;
  title: string;
  policy: Policy;
  /** Which tools its turns may use; absent: all that are offered. */
  tools?: ToolChoice;
  /** `provider/model` of its turns; absent: the deployment's. */
  model?: string;
  created_at: string;
  updated_at: string;
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationBody {
  /** Of its active turn; absent while none is under way. May lag behind the journal by seconds. */
  status?: TurnStatus;
  /** The beginning of its first message; only while it has no title. */
  opening?: string;
}

/** The settings of a conversation that users choose. */
export interface ConversationChoice {
  title?: string;
  policy?: Policy;
  tools?: ToolChoice;
  /** Empty: the deployment's. */
  model?: string;
}

const MAX_OPENING_LENGTH = 200;

/** A conversation without messages. */
export function newConversation(
  clock: Pick<Clock, 'wall'>,
  id: string,
  userId: string,
  choice: ConversationChoice & { expiresAt?: number } = {},
): Conversation {
  const at = timestampOf(clock);
  const { title = DEFAULT_TITLE, policy = 'enqueue', tools, model, expiresAt } = choice;
  const times = { created_at: at, updated_at: at };
  const chosen = { title, policy, ...(tools ? { tools } : {}), ...(model ? { model } : {}) };
  const row = { _id: id, user_id: userId, ...chosen, ...times };
  if (expiresAt === undefined) return row;
  return { ...row, expires_at: new Date(expiresAt).toISOString(), due_at: expiresAt };
}

export class Conversations {
  constructor(
    private readonly ownership: Ownership,
    private readonly stopTurns: Pick<StopTurns, 'stop'>,
    private readonly ports: Ports,
    private readonly admission: Pick<TurnAdmission, 'count'>,
    private readonly models: Pick<OfferedModels, 'check'>,
  ) {}

  /** Throws `RequestError` `overloaded` for too many within a minute. */
  async create(user: User, choice: ConversationChoice): Promise<ConversationBody> {
    this.models.check(choice.model || undefined, user);
    this.admission.count(user.id);
    const { clock, random } = this.ports;
    const id = `conv_${Buffer.from(random.bytes(16)).toString('base64url')}`;
    const { row } = await this.ports.store.insertConversation(newConversation(clock, id, user.id, choice));
    return toBody(row);
  }

  /**
   * Three reads, however long the list and its messages are: the unended turns are bounded by the number that a user
   * may have at once.
   */
  async list(user: User, page: { skip: number; limit: number }): Promise<ListedConversation[]> {
    const rows = await this.ports.store.listConversations(user.id, page);
    const unnamed = rows.filter(({ title }) => title === DEFAULT_TITLE).map(({ _id }) => _id);
    const [unended, openings] = await Promise.all([
      rows.length > 0 ? this.ports.store.listUnendedStatesOf(user.id) : [],
      unnamed.length > 0 ? this.ports.store.listOpenings(unnamed, MAX_OPENING_LENGTH) : [],
    ]);
    const active = new Map<string, (typeof unended)[number]>();
    for (const turn of unended) {
      const known = active.get(turn.conversation_id);
      if (!known || turn.number < known.number) active.set(turn.conversation_id, turn);
    }
    const openingOf = new Map(openings.map(({ conversation_id, opening }) => [conversation_id, opening]));
    return rows.map((row) => {
      const { status } = active.get(row._id) ?? {};
      const opening = openingOf.get(row._id);
      return { ...toBody(row), ...(status ? { status } : {}), ...(opening ? { opening } : {}) };
    });
  }

  async get(user: User, id: string): Promise<ConversationBody> {
    return toBody(await this.ownership.conversation(user, id));
  }

  /** Settings that are not given stay. */
  async change(user: User, id: string, change: ConversationChoice): Promise<ConversationBody> {
    const before = await this.ownership.conversation(user, id);
    this.models.check(change.model || undefined, user);
    // It has no new message, so its place in the list stays, too.
    if (Object.values(change).every((value) => value === undefined)) return toBody(before);
    const { title = before.title, policy = before.policy } = change;
    const { tools = before.tools, model = before.model } = change;
    const optional = { ...(tools ? { tools } : {}), ...(model === undefined ? {} : { model }) };
    const changed = { title, policy, ...optional, updated_at: timestampOf(this.ports.clock) };
    await this.ports.store.updateConversation(id, changed);
    return toBody({ ...before, ...changed });
  }

  /**
   * The mark decides: if this process dies here, the sweeper stops running turns and removes everything. Who asks again
   * because the first request failed takes `not_found` as the end of it, so it stops what still runs, too.
   */
  async delete(user: User, id: string): Promise<void> {
    const { deleted_at } = await this.ownership.evenDeleted(user, id);
    if (deleted_at === undefined) await markDeleted(this.ports, id);
    const unended = await this.ports.store.listUnendedTurns(id);
    await Promise.all(unended.map((turn) => this.stop(turn._id)));
    if (deleted_at !== undefined) throw notFound();
  }

  /** The sweeper may have removed the turn since. */
  private async stop(turnId: string): Promise<void> {
    try {
      await this.stopTurns.stop(turnId);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function toBody(row: Conversation): ConversationBody {
  const { _id: id, user_id, title, policy, tools, model, created_at, updated_at } = row;
  const optional = { ...(tools ? { tools } : {}), ...(model ? { model } : {}) };
  return { id, user_id, title, policy, ...optional, created_at, updated_at };
}
