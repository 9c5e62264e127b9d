import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idSchema, type Binding } from '#contracts';
import { GENESIS_CHAT } from './genesis-chat.js';

const valueSchema = z.object({
  turn_id: idSchema,
  conversation_id: idSchema,
  /** 1 for the socket of its message; one more for each socket that took the turn over. */
  attempt: z.int().min(1),
  /** The process id of the gateway that holds the socket. */
  gateway: z.string(),
  socket: z.string(),
  /** Among the turns of its socket. */
  order: z.int().min(0),
  /** A row of its own: the socket of this attempt has ended without its client wanting it. */
  is_dropped: z.boolean(),
});

/** A turn on a socket whose client has not received its end, in the store's format. */
export type OpenTurn = z.infer<typeof valueSchema> & { user_id: string; at: string };

/** A turn that waits for a person lasts seven days. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * The gateway that inserts the row of an attempt shows the turn. A drop is a separate row, so that a late one, written
 * after the turn was taken over and sent, has no effect.
 */
export function toBinding({ user_id, at, ...value }: OpenTurn): Binding {
  const key = `${value.turn_id}:${value.attempt}${value.is_dropped ? ':dropped' : ''}`;
  return {
    _id: bindingId(user_id, key),
    user_id,
    dialect: GENESIS_CHAT,
    key,
    value: JSON.stringify(value),
    at,
    conversation_id: value.conversation_id,
    expires_at: new Date(Date.parse(at) + KEPT_MS).toISOString(),
  };
}

/** Undefined for rows of another version. */
export function toOpenTurn({ user_id, at, value }: Binding): OpenTurn | undefined {
  const parsed = valueSchema.safeParse(JSON.parse(value));
  return parsed.success ? { ...parsed.data, user_id, at } : undefined;
}

function bindingId(userId: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, GENESIS_CHAT, key]))
    .digest('base64url');
}

export interface SocketsTurns {
  /** The last attempt of each turn, by socket; sockets and their turns in the order in which they began. */
  sockets: OpenTurn[][];
  /** Drops of turns that have been sent since. */
  stray: OpenTurn[];
}

/** All rows of a user. */
export function bySocket(rows: readonly OpenTurn[]): SocketsTurns {
  const drops = rows.filter((row) => row.is_dropped);
  const attempts = rows.filter((row) => !row.is_dropped);
  const last = new Map<string, OpenTurn>();
  for (const turn of attempts)
    if (turn.attempt > (last.get(turn.turn_id)?.attempt ?? 0)) last.set(turn.turn_id, turn);
  const sockets = new Map<string, OpenTurn[]>();
  for (const turn of [...last.values()].sort(byBegin)) {
    const is_dropped = drops.some((drop) => isSameAttempt(drop, turn));
    sockets.set(turn.socket, [...(sockets.get(turn.socket) ?? []), { ...turn, is_dropped }]);
  }
  const stray = drops.filter((drop) => !attempts.some((turn) => isSameAttempt(drop, turn)));
  return { sockets: [...sockets.values()], stray };
}

function isSameAttempt(a: OpenTurn, b: OpenTurn): boolean {
  return a.turn_id === b.turn_id && a.attempt === b.attempt;
}

function byBegin(a: OpenTurn, b: OpenTurn): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.order - b.order;
}
