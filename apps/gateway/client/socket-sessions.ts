import type { Server, Socket } from 'socket.io';
import { settledWithin, timestampOf, type Clock } from '#time';
import type { User } from '../people/auth/user.js';
import { watchUser } from '../people/auth/watch-user.js';
import type { Feed } from '../feeds/feed.js';
import type { Feeds } from '../feeds/feeds.js';
import { SocketViewer } from './socket-viewer.js';

/** The part of a drain's grace reserved for sending pending packets to clients. */
const CLOSE_GRACE_MS = 500;

export interface Session {
  user: User;
  viewer: SocketViewer;
  joined: Set<string>;
  /** Requests without an answer yet. */
  inFlight: number;
  isEnded: boolean;
  stopWatch: () => void;
}

export interface SessionOptions {
  clock: Clock;
  /** Conversations that one socket may follow at once. */
  maxJoined: number;
  /** Called when there is one more or less. */
  count: () => void;
  /** Whether a user who was admitted before may stay. */
  isActive: (user: User) => Promise<boolean>;
}

/** The state of each connected socket: its user and the conversations it follows. */
export class SocketSessions {
  private readonly sessions = new Map<Socket, Session>();
  private served: Server | undefined;
  private isLeaving = false;
  private onEmpty: (() => void) | undefined;

  constructor(
    private readonly feeds: Feeds,
    private readonly options: SessionOptions,
  ) {}

  get size(): number {
    return this.sessions.size;
  }

  serve(server: Server): void {
    this.served = server;
  }

  server(): Server {
    if (!this.served) throw new Error('the socket server has not been started');
    return this.served;
  }

  begin(socket: Socket): void {
    const { user } = socket.data as { user: User };
    const { clock, isActive } = this.options;
    const session: Session = {
      user,
      viewer: new SocketViewer(socket),
      joined: new Set(),
      inFlight: 0,
      isEnded: false,
      stopWatch: watchUser(clock, user, isActive, () => this.expire(socket)),
    };
    this.sessions.set(socket, session);
    this.options.count();
  }

  end(socket: Socket): void {
    const session = this.sessions.get(socket);
    if (!session) return;
    this.sessions.delete(socket);
    this.options.count();
    session.isEnded = true;
    session.stopWatch();
    // A client that only leaves the namespace would keep a connection that nothing can use.
    session.viewer.hangUp();
    for (const conversationId of session.joined) this.feeds.leave(conversationId, session.viewer);
    if (this.sessions.size === 0) this.onEmpty?.();
  }

  get(socket: Socket): Session | undefined {
    return this.sessions.get(socket);
  }

  /** From now on the socket receives the conversation, starting with a snapshot. */
  join(session: Session, conversationId: string, feed: Feed): void {
    if (session.isEnded) return;
    session.joined.add(conversationId);
    feed.add(session.viewer);
  }

  leave(session: Session, conversationId: string): void {
    session.joined.delete(conversationId);
    this.feeds.leave(conversationId, session.viewer);
  }

  /** Whether it may follow this conversation; undefined: a new one. */
  hasRoom({ joined }: Session, conversationId: string | undefined): boolean {
    return (
      joined.size < this.options.maxJoined || (conversationId !== undefined && joined.has(conversationId))
    );
  }

  /** 1: a request of the session begins to wait for its answer; -1: it has it. */
  countInFlight(session: Session, change: 1 | -1): void {
    session.inFlight += change;
    if (this.isLeaving && session.inFlight === 0) session.viewer.hangUp();
  }

  /**
   * Ends every connection as soon as none of its requests waits for an answer, and after `graceMs` in any case. The
   * client sees a broken connection, so it reconnects by itself, and no request is refused meanwhile.
   */
  async leaveAll(graceMs: number): Promise<void> {
    this.isLeaving = true;
    for (const { viewer, inFlight } of this.sessions.values()) if (inFlight === 0) viewer.hangUp();
    await this.emptyWithin(Math.max(0, graceMs - CLOSE_GRACE_MS));
    for (const { viewer } of this.sessions.values()) viewer.hangUp();
    await this.emptyWithin(CLOSE_GRACE_MS);
    for (const { viewer } of this.sessions.values()) viewer.cutOff();
  }

  private async emptyWithin(timeoutMs: number): Promise<void> {
    if (this.sessions.size === 0) return;
    const empty = new Promise<void>((resolve) => (this.onEmpty = resolve));
    await settledWithin(this.options.clock, empty, timeoutMs);
  }

  private expire(socket: Socket): void {
    socket.emit('token_expired', { type: 'token_expired', timestamp: timestampOf(this.options.clock) });
    socket.disconnect(true);
  }
}
