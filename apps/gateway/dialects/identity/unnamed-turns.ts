import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ClientRequest } from '#contracts';
import type { Logger } from '#observability';
import type { Clock } from '#time';
import type { User } from '../../people/auth/user.js';
import type { DialectHost } from '../host/dialect.js';
import type { Exchange } from '../../turns/fold-history.js';
import { Bindings } from '../../people/bindings.js';
import type { DialectTurns, StartedTurn } from '../host/dialect-turns.js';
import { HistoryKey, type HistoryDigest } from './history-key.js';

/** A conversation that the client does not name is shown nowhere, and removed after a day. */
const KEPT_MS = 24 * 3_600_000;
/** The number of rows kept for one user. If the user has more conversations at once, some of them are written again. */
const PLACES = 4_096;

export const knownHistorySchema = z.object({
  /** The key of the whole history. */
  key: z.string(),
  conversation_id: z.string(),
  /** The id of the turn that ends it. */
  number: z.int().min(1),
});

export interface SentHistory {
  /** All exchanges before the message. */
  said: HistoryDigest;
  /** The part that is written if necessary. */
  written: readonly Exchange[];
  /** Histories of different kinds never meet. */
  kind: string;
}

export interface UnnamedTurn extends StartedTurn {
  /**
   * The client has this answer now. A request that contains it continues this conversation. Never rejects: without it,
   * that request's history is written again.
   */
  remember(answer: string): Promise<void>;
}

/**
 * Turns of clients that name no conversation and send the whole history with each request. A request with exactly the
 * history of one of its user's conversations continues there, with its calls and their results. Any other request gets a
 * new conversation, into which the history is written. The insert of the next number decides: of two requests that
 * continue from the same point, one does.
 */
export class UnnamedTurns {
  constructor(
    private readonly deps: {
      turns: Pick<DialectTurns, 'start'>;
      known: Pick<Bindings<typeof knownHistorySchema>, 'get' | 'put'>;
      log: Pick<Logger, 'warn'>;
      clock: Pick<Clock, 'wall'>;
    },
  ) {}

  /** Throws `RequestError`. */
  async start(
    user: User,
    message: ClientRequest<'message'>,
    { said, written, kind }: SentHistory,
  ): Promise<UnnamedTurn> {
    const history = new HistoryKey(said);
    // A resend must find its turn in its old place, whatever is known by then.
    const mayGoOn = message.client_message_id === undefined;
    const known = mayGoOn ? await this.find(user, kind, history.value) : undefined;
    const started = await this.deps.turns.start(user, message, {
      expiresAt: this.deps.clock.wall() + KEPT_MS,
      history: written,
      ...(known && { continues: { conversationId: known.conversation_id, after: known.number } }),
    });
    return {
      ...started,
      remember: async (answer) => {
        // Context for this turn alone would otherwise also precede the turns that follow.
        if (!mayGoOn || message.options?.context !== undefined) return;
        await this.put(user, kind, history.after(message.content, answer), started);
      },
    };
  }

  private async find(user: User, kind: string, history: string | undefined) {
    if (history === undefined) return undefined;
    const key = keyOf(kind, history);
    const known = await this.deps.known.get(user.id, placeOf(key));
    return known?.key === key ? known : undefined;
  }

  private async put(
    user: User,
    kind: string,
    history: string | undefined,
    { conversation_id, number }: StartedTurn,
  ): Promise<void> {
    if (history === undefined) return;
    const key = keyOf(kind, history);
    try {
      await this.deps.known.put(user.id, placeOf(key), { key, conversation_id, number });
    } catch (error) {
      this.deps.log.warn({ err: error, conversation_id }, 'conversation binding not stored');
    }
  }
}

/** `dialect`: as in `DIALECTS`; each has histories of its own. */
export function createUnnamedTurns(
  { dialectTurns: turns, store, log, time }: Pick<DialectHost, 'dialectTurns' | 'store' | 'log' | 'time'>,
  dialect: string,
): UnnamedTurns {
  const { clock } = time;
  return new UnnamedTurns({
    turns,
    known: new Bindings(store, dialect, knownHistorySchema, { keptMs: KEPT_MS, clock }),
    log,
    clock,
  });
}

function keyOf(kind: string, history: string): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, history]))
    .digest('base64url');
}

/** Few, however many histories one client invents. */
function placeOf(key: string): string {
  const number = Buffer.from(key, 'base64url').readUInt32BE() % PLACES;
  return `history-${number}`;
}
