import type { IncomingMessage } from 'node:http';
import type { Socket } from 'socket.io';
import type { Logger, Refusals } from '#observability';
import type { MinuteLimit } from '../../limits/minute-limit.js';
import { sessionInCookie } from '../../people/auth/session-cookie.js';
import { bearerToken, type Authenticate, type User } from '../../people/auth/user.js';
import { RequestError, toClientError } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import type { ConnectionGuard } from './connection-guard.js';
import { terminate, type EngineConnection } from './engine-connection.js';
import type { UserTraffic } from './user-traffic.js';

const FULL_RETRY_MS = 5_000;

export interface AdmissionDeps {
  authenticate: Authenticate;
  rate: MinuteLimit;
  traffic: Pick<UserTraffic, 'enter'>;
  guard: Pick<ConnectionGuard, 'know'>;
  /** How users sign in; sent to clients that are refused because they are not known. */
  signIn: 'token' | 'password';
  /** An operator lets the process drain. */
  drains: () => boolean;
  /** Open at once in this process, by all users. */
  sockets: number;
  /** How many are. */
  count: () => number;
  refusals: Pick<Refusals, 'note'>;
  log: Pick<Logger, 'error'>;
}

/** The owner of the token in a handshake. */
interface Expected {
  /** Undefined: it was the session in the cookie. */
  token: string | undefined;
  user: User;
}

/** Who may connect. A refused client gets `connect_error` with `data: { code, message, retry_after_ms?, sign_in? }`. */
export class Admission {
  private isLeaving = false;
  private readonly expected = new WeakMap<IncomingMessage, Expected>();

  constructor(private readonly deps: AdmissionDeps) {}

  /** From now on no client is admitted: the process drains. */
  close(): void {
    this.isLeaving = true;
  }

  get isClosed(): boolean {
    return this.isLeaving || this.deps.drains();
  }

  admit(socket: Socket, next: (error?: Error) => void): void {
    this.enter(socket).then(
      () => this.decide(socket, next),
      (reason: unknown) => {
        const error = toRequestError(reason);
        this.decide(socket, next, Object.assign(new Error(error.code), { data: this.describe(error) }));
      },
    );
  }

  /** The user of a connection that asks to be admitted. Throws `RequestError`, and nothing else. */
  async admitToken(token: string | undefined, session?: string): Promise<User> {
    try {
      return await this.check(token, session);
    } catch (error) {
      const refusal = toRequestError(error);
      if (refusal.code === 'internal') this.deps.log.error({ err: error }, 'connection check failed');
      throw refusal;
    }
  }

  /**
   * Whether the token of a handshake or, without one, its session is valid. If so, the connection belongs to this user
   * from its first byte.
   */
  async expect(request: IncomingMessage, token: string | undefined): Promise<boolean> {
    try {
      const user = await this.admitToken(token, sessionInCookie(request, 'write'));
      this.count(request, user);
      this.expected.set(request, { token, user });
      return true;
    } catch {
      // The reason is sent once the connection is open: only then do clients understand it.
      return false;
    }
  }

  private decide(socket: Socket, next: (error?: Error) => void, error?: Error): void {
    // Socket.IO's client retries by itself after a broken connection, but not after a `connect_error`.
    if (this.isClosed) return terminate(connectionOf(socket));
    next(error);
  }

  private describe(refusal: RequestError): object {
    const { error } = toClientError(refusal);
    return refusal.code === 'unauthorized' ? { ...error, sign_in: this.deps.signIn } : error;
  }

  private async enter(socket: Socket): Promise<void> {
    const { request } = socket.conn;
    const token = tokenOf(socket);
    const expected = this.expected.get(request);
    let user = expected?.user;
    if (!user || expected?.token !== token) {
      user = await this.admitToken(token, sessionInCookie(request, 'write'));
      this.count(request, user);
    }
    this.deps.guard.know(connectionOf(socket), user.id);
    (socket.data as { user: unknown }).user = user;
  }

  private async check(token: string | undefined, session: string | undefined): Promise<User> {
    this.checkRoom();
    const user = await this.deps.authenticate(token, session);
    // Other connections were admitted meanwhile.
    this.checkRoom();
    this.deps.rate.take(user.id);
    return user;
  }

  private checkRoom(): void {
    const { count, sockets, refusals } = this.deps;
    if (this.isClosed) throw new RequestError('unavailable', 'This process takes no new connections.', 1_000);
    if (count() < sockets) return;
    refusals.note('sockets');
    throw new RequestError('overloaded', 'This process has too many connections.', FULL_RETRY_MS);
  }

  /** Counts it as one of the user's sockets until its connection ends. */
  private count({ socket }: IncomingMessage, user: User): void {
    if (socket.destroyed) throw new RequestError('unavailable', 'The connection is closed.');
    socket.once('close', this.deps.traffic.enter(user.id));
  }
}

/** In the list of subprotocols, as in Kubernetes: it is the only header of a handshake that a page can set. */
const TOKEN_PROTOCOL = /(?:^|,)\s*bearer\.([^\s,]+)/;

/** The token in the handshake itself: in a header, or in a parameter of the address. */
export function handshakeToken({ headers, url = '' }: IncomingMessage): string | undefined {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const [, ofPage] = TOKEN_PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '') ?? [];
  return bearerToken(headers.authorization) ?? ofPage ?? query.get('token') ?? undefined;
}

function connectionOf({ conn }: Socket): EngineConnection {
  return conn as unknown as EngineConnection;
}

function tokenOf({ handshake, request }: Socket): string | undefined {
  const given: unknown = handshake.auth.token;
  return typeof given === 'string' ? given : handshakeToken(request);
}
