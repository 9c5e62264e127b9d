import { idSchema, type Conversation, type Turn } from '#contracts';
import type { Store } from '#store';
import type { User } from '../people/auth/user.js';
import { notFound } from '../errors/request-error.js';

/**
 * The one place that decides whether a user may access something. Malformed, unknown and deleted ids, and ids of other
 * users, are all `not_found`, so that no client learns which ids exist. Ids are checked before any query.
 */
export class Ownership {
  constructor(private readonly store: Pick<Store, 'getConversation' | 'getTurn'>) {}

  async conversation(user: Pick<User, 'id'>, id: string): Promise<Conversation> {
    const conversation = await this.evenDeleted(user, id);
    if (conversation.deleted_at !== undefined) throw notFound();
    return conversation;
  }

  /** Also one that is marked as deleted: only for who goes on with its deletion. */
  async evenDeleted(user: Pick<User, 'id'>, id: string): Promise<Conversation> {
    if (!idSchema.safeParse(id).success) throw notFound();
    const conversation = await this.store.getConversation(id);
    if (conversation?.user_id !== user.id) throw notFound();
    return conversation;
  }

  async turn(user: Pick<User, 'id'>, id: string): Promise<Turn> {
    if (!idSchema.safeParse(id).success) throw notFound();
    const turn = await this.store.getTurn(id);
    if (!turn) throw notFound();
    await this.conversation(user, turn.conversation_id);
    return turn;
  }
}
