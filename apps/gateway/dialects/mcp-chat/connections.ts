import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '#store';
import type { Random } from '#time';
import type { User } from '../../people/auth/user.js';
import { RequestError } from '../../errors/request-error.js';
import type { TurnAdmission } from '../../turns/turn-admission.js';
import type { Bindings } from '../../people/bindings.js';
import type { DialectTurns, StartedTurn } from '../host/dialect-turns.js';
import type { Server, Servers } from './servers.js';

/** The user's selection in one session, and the conversation that goes with it. */
export const selectionSchema = z.object({ server_id: z.string().nullable(), conversation_id: z.string() });
type Selection = z.output<typeof selectionSchema>;

export interface ConnectionsDeps {
  servers: Servers;
  selections: Bindings<typeof selectionSchema>;
  store: Pick<Store, 'getConversation'>;
  admission: Pick<TurnAdmission, 'count'>;
  turns: Pick<DialectTurns, 'start'>;
  random: Pick<Random, 'id'>;
}

/** A connection that was not used for this long is forgotten. */
export const CONNECTION_KEPT_MS = 30 * 24 * 3_600_000;
const NO_WORKER_RETRY_MS = 10_000;

/**
 * The one connection that a client believes the server has: a selected toolset and an implicit conversation, for each
 * user and session. The ids of a session's conversations follow from each other and from the server, so that gateways
 * that need the next one at the same time agree, and two servers never share one.
 */
export class Connections {
  constructor(private readonly deps: ConnectionsDeps) {}

  /** The selected server, while a living worker offers it. */
  async status(user: User, session: string): Promise<Required<Server> | undefined> {
    const { server_id } = await this.selection(user, session);
    return server_id === null ? undefined : this.deps.servers.findLive(user, server_id);
  }

  /** Another server than the one that is selected starts another conversation. Throws `RequestError`. */
  async connect(user: User, session: string, serverId: string): Promise<Required<Server>> {
    const server = await this.deps.servers.find(user, serverId);
    if (!server) throw new RequestError('not_found', 'There is no server with this id.');
    const { tools } = server;
    if (!tools)
      throw new RequestError('unavailable', 'No worker offers this server right now.', NO_WORKER_RETRY_MS);
    const before = await this.begun(user, session, server.id);
    if (before.server_id !== server.id)
      await this.select(user, session, {
        server_id: server.id,
        conversation_id: following(before, server.id),
      });
    return { ...server, tools };
  }

  async disconnect(user: User, session: string): Promise<void> {
    const before = await this.selection(user, session);
    if (before.server_id !== null) await this.select(user, session, { ...before, server_id: null });
  }

  /** A message in the implicit conversation, with the tools of the selected server or none. Throws `RequestError`. */
  async chat(user: User, session: string, content: string): Promise<StartedTurn> {
    const { server_id, conversation_id } = await this.writable(user, session);
    // With the prefix an entry means this toolset only, and no tool that has its name.
    const allow = server_id === null ? [] : [`mcp:${server_id}`];
    const message = { content, options: { tools: { allow } } };
    return this.deps.turns.start(user, message, { conversationId: conversation_id });
  }

  /** The selection with a conversation for messages; a deleted conversation is replaced by the next one. */
  private async writable(user: User, session: string): Promise<Selection> {
    let selection = await this.selection(user, session);
    for (;;) {
      const row = await this.deps.store.getConversation(selection.conversation_id);
      if (row?.deleted_at === undefined) return selection;
      selection = { ...selection, conversation_id: following(selection) };
      await this.select(user, session, selection);
    }
  }

  /** The session's selection, if it has one already: of several concurrent selections, one is the first. */
  private async begun(user: User, session: string, server_id: string): Promise<Selection> {
    const { selections, admission, random } = this.deps;
    const stored = await selections.get(user.id, keyOf(session));
    if (stored) return stored;
    admission.count(user.id);
    // A forgotten connection has left conversations whose ids must not be used again.
    const first = { server_id, conversation_id: conversationId(user.id, session, random.id()) };
    return selections.insert(user.id, keyOf(session), first);
  }

  private async selection(user: User, session: string): Promise<Selection> {
    const stored = await this.deps.selections.get(user.id, keyOf(session));
    return stored ?? { server_id: null, conversation_id: conversationId(user.id, session) };
  }

  private select(user: User, session: string, selection: Selection): Promise<void> {
    return this.deps.selections.put(user.id, keyOf(session), selection);
  }
}

function keyOf(session: string): string {
  return `session:${session}`;
}

function following({ conversation_id }: Selection, ...what: string[]): string {
  return conversationId(conversation_id, ...what);
}

function conversationId(...parts: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(['mcp-chat-sse', ...parts]));
  return `conv_${hash.digest('base64url').slice(0, 22)}`;
}
