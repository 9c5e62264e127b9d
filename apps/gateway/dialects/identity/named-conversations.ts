import { z } from 'zod';
import { idSchema, type ClientRequest } from '#contracts';
import type { Store } from '#store';
import type { Time } from '#time';
import type { User } from '../../people/auth/user.js';
import type { Ownership } from '../../turns/ownership.js';
import { isNotFound } from '../../errors/request-error.js';
import { followingConversationIdOf, namedConversationIdOf } from '../../turns/turn-ids.js';
import type { ConversationSeed } from '../../turns/submit-turn.js';
import { Bindings, type BindingStore } from '../../people/bindings.js';
import type { DialectTurns, StartedTurn } from '../host/dialect-turns.js';

/** Longer than tombstones: once the last of them is gone, the first id is free again. */
const KEPT_MS = 365 * 24 * 3_600_000;
const latestSchema = z.object({ conversation_id: idSchema });

/** The destination of a message that names a conversation. */
export type NamedPlace =
  /** An existing conversation of the user. */
  | { conversation_id: string }
  /** The conversation of that name; the message starts it if it does not exist. */
  | { conversationId: string };

/**
 * Conversations that clients of a dialect name themselves, separate for each user. A deleted conversation is replaced
 * by the next one; its id follows from the deleted one's, so that two gateways agree.
 */
export class NamedConversations {
  /** By the first id of a name, once that conversation was deleted. */
  private readonly latest: Bindings<typeof latestSchema>;

  constructor(
    private readonly deps: {
      store: BindingStore & Pick<Store, 'getConversation'>;
      ownership: Pick<Ownership, 'conversation'>;
      time: Pick<Time, 'clock'>;
    },
    /** As in `DIALECTS`. */
    private readonly dialect: string,
  ) {
    const { clock } = deps.time;
    this.latest = new Bindings(deps.store, dialect, latestSchema, { keptMs: KEPT_MS, clock });
  }

  /** A name may also be the id of a conversation of this user that began elsewhere. */
  async find(user: User, name: string): Promise<NamedPlace> {
    try {
      return { conversation_id: (await this.deps.ownership.conversation(user, name))._id };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { conversationId: await this.current(user, name) };
    }
  }

  private async current(user: User, name: string): Promise<string> {
    const first = namedConversationIdOf(user.id, this.dialect, name);
    const { conversation_id: latest = first } = (await this.latest.get(user.id, first)) ?? {};
    let id = latest;
    while (await this.isDeleted(id)) id = followingConversationIdOf(id);
    if (id !== latest) await this.latest.put(user.id, first, { conversation_id: id });
    return id;
  }

  private async isDeleted(id: string): Promise<boolean> {
    return (await this.deps.store.getConversation(id))?.deleted_at !== undefined;
  }
}

/** Begins a turn at the destination of a name. */
export function startAt(
  turns: Pick<DialectTurns, 'start'>,
  user: User,
  {
    place,
    message,
    history,
  }: { place: NamedPlace; message: ClientRequest<'message'> } & Pick<ConversationSeed, 'history'>,
): Promise<StartedTurn> {
  return 'conversation_id' in place
    ? turns.start(user, { ...message, ...place }, { history })
    : turns.start(user, message, { ...place, history });
}
