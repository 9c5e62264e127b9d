import type { Socket } from 'socket.io';
import type { Logger } from '#observability';
import type { MinuteLimit } from '../auth/minute-limit.js';
import { bearerToken, type Authenticate, type User } from '../auth/user.js';
import { RequestError, toClientError } from '../errors/request-error.js';
import { toRequestError } from '../errors/to-request-error.js';
import type { UserTraffic } from './user-traffic.js';

const FULL_RETRY_MS = 5_000;

export interface AdmissionDeps {
  authenticate: Authenticate;
  rate: MinuteLimit;
  traffic: UserTraffic;
  /** What to ask people for who are not let in; told to whoever is not known. */
  signIn: 'token' | 'password';
  /** Open at once in this process, by all users. */
  sockets: number;
  /** How many are. */
  count: () => number;
  log: Pick<Logger, 'error'>;
}

/** Who may connect. A refused client gets `connect_error` with `data: { code, message, retry_after_ms?, sign_in? }`. */
export class Admission {
  private closed = false;

  constructor(private readonly deps: AdmissionDeps) {}

  /** From now on nobody is let in: the process drains. */
  close(): void {
    this.closed = true;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  admit(socket: Socket, next: (error?: Error) => void): void {
    this.enter(socket).then(
      () => this.decide(socket, next),
      (error: RequestError) =>
        this.decide(socket, next, Object.assign(new Error(error.code), { data: this.describe(error) })),
    );
  }

  /** The user of a connection that wants to be. Throws `RequestError`, and nothing else. */
  async letIn(token: string | undefined): Promise<User> {
    try {
      return await this.check(token);
    } catch (error) {
      const refusal = toRequestError(error);
      if (refusal.code === 'internal')
        this.deps.log.error({ err: error }, 'a connection could not be checked');
      throw refusal;
    }
  }

  private decide(socket: Socket, next: (error?: Error) => void, error?: Error): void {
    // After a `connect_error` Socket.IO's client does not try again by itself; after a broken connection it does.
    if (this.closed) return void socket.conn.close();
    next(error);
  }

  private describe(refusal: RequestError): object {
    const { error } = toClientError(refusal);
    return refusal.code === 'unauthorized' ? { ...error, sign_in: this.deps.signIn } : error;
  }

  private async enter(socket: Socket): Promise<void> {
    const user = await this.letIn(tokenOf(socket));
    this.watch(socket, user.id);
    (socket.data as { user: unknown }).user = user;
  }

  private async check(token: string | undefined): Promise<User> {
    if (this.closed) throw new RequestError('unavailable', 'This process is about to stop.', 1_000);
    if (this.deps.count() >= this.deps.sockets)
      throw new RequestError('overloaded', 'This process has no room for more connections.', FULL_RETRY_MS);
    const user = await this.deps.authenticate(token);
    this.deps.rate.take(user.id);
    return user;
  }

  /** Counts the socket and what it sends as the user's. */
  private watch({ conn }: Socket, userId: string): void {
    if (conn.readyState !== 'open') throw new RequestError('unavailable', 'The connection has gone.');
    conn.once('close', this.deps.traffic.enter(userId));
    (conn as unknown as Packets).on('packet', ({ data }) => {
      const bytes = data === undefined ? 0 : Buffer.byteLength(data);
      if (this.deps.traffic.receive(userId, bytes) === 'cut off') conn.close(true);
    });
  }
}

/** What a socket tells of each packet that came in; not in the declared types. */
interface Packets {
  on(event: 'packet', listener: (packet: { data?: string | Buffer }) => void): void;
}

function tokenOf({ handshake }: Socket): string | undefined {
  const given: unknown = handshake.auth.token;
  if (typeof given === 'string') return given;
  const header = bearerToken(handshake.headers.authorization);
  if (header !== undefined) return header;
  const { token } = handshake.query;
  return typeof token === 'string' ? token : undefined;
}
