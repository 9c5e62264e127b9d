import type { Refusals } from '#observability';
import { terminate, unreadBytes, type EngineConnection } from './engine-connection.js';

export interface UnreadLimits {
  /** Of one user's connections together. */
  perUser: number;
  /** Of all connections together. */
  inAll: number;
}

export const UNREAD_LIMITS: UnreadLimits = { perUser: 32 * 1024 * 1024, inAll: 256 * 1024 * 1024 };
/** Connections are ended until this share of a limit is left, so that the next packet does not check all again. */
const REST = 0.75;

interface Reader {
  connection: EngineConnection;
  userId: string;
  /** At the last check. */
  bytes: number;
}

/**
 * Bounds the unread bytes in this process for the clients of one user, and for all clients. A single connection has its
 * own bound. The connections with the most unread bytes are ended.
 */
export class UnreadBytes {
  private readonly readers = new Map<EngineConnection, Reader>();
  private readonly users = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly limits: UnreadLimits,
    private readonly refusals: Pick<Refusals, 'note'>,
  ) {}

  enter(connection: EngineConnection, userId: string): void {
    if (this.readers.has(connection)) return;
    this.readers.set(connection, { connection, userId, bytes: 0 });
    connection.once('close', () => this.leave(connection));
  }

  /** A connection with new unread bytes is checked each time; for the others, the last check counts. */
  check(connection: EngineConnection): void {
    const reader = this.readers.get(connection);
    if (!reader) return;
    this.measure(reader);
    const { perUser, inAll } = this.limits;
    const ofUser = () => this.users.get(reader.userId) ?? 0;
    if (ofUser() > perUser) {
      const own = [...this.readers.values()].filter(({ userId }) => userId === reader.userId);
      this.relieve('unread_answers_per_user', own, { used: ofUser, limit: perUser });
    }
    if (this.total > inAll)
      this.relieve('unread_answers_of_all', [...this.readers.values()], {
        used: () => this.total,
        limit: inAll,
      });
  }

  private relieve(
    name: string,
    readers: Reader[],
    { used, limit }: { used: () => number; limit: number },
  ): void {
    for (const reader of readers) this.measure(reader);
    if (used() <= limit) return;
    readers.sort((a, b) => b.bytes - a.bytes);
    for (const { connection, userId } of readers) {
      if (used() <= limit * REST) return;
      this.refusals.note(name, { user_id: userId });
      this.leave(connection);
      terminate(connection);
    }
  }

  private measure(reader: Reader): void {
    this.count(reader, unreadBytes(reader.connection));
  }

  private leave(connection: EngineConnection): void {
    const reader = this.readers.get(connection);
    if (!reader) return;
    this.count(reader, 0);
    this.readers.delete(connection);
  }

  private count(reader: Reader, bytes: number): void {
    const more = bytes - reader.bytes;
    reader.bytes = bytes;
    this.total += more;
    const ofUser = (this.users.get(reader.userId) ?? 0) + more;
    if (ofUser > 0) this.users.set(reader.userId, ofUser);
    else this.users.delete(reader.userId);
  }
}
