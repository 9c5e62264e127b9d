import { io, type Socket } from 'socket.io-client';
import type {
  ClientAnswer,
  ClientError,
  ClientRequest,
  ClientRequestName,
  ConversationEvent,
  ErrorCode,
  Snapshot,
} from '#contracts';
import { Observable } from '../state/observable.js';
import { acceptToken } from './person.js';
import { rememberSignInMethod } from './sign-in-method.js';
import { readToken, writeToken } from './token.js';

export interface ConnectionState {
  phase: 'connecting' | 'connected' | 'waiting' | 'signed_out';
  /** When the connection was lost (or first failed), ms since epoch; absent while connected. */
  lostAt?: number;
  /** When the next attempt starts, in phase `waiting`. */
  nextTryAt?: number;
  /** When the last message of the server arrived; nothing on the page is known to be true after it. */
  heardAt?: number;
  /** When the present connection was made. */
  connectedAt?: number;
  /** True if the current connection follows an interruption that users could notice. */
  again?: boolean;
  /** In phase `signed_out`: the reason why the token was rejected. */
  reason?: 'refused' | 'expired';
}

/** The reason why a connection was refused. */
interface Refusal {
  code?: string;
  retry_after_ms?: number;
  sign_in?: unknown;
}

export type ServerEvent = ConversationEvent | Snapshot;

/** The server's answer was an error, or there was no answer (`unavailable`). */
export class RequestError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const ACK_TIMEOUT_MS = 20_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;
/** A shorter interruption is not shown. */
export const NOTICEABLE_GAP_MS = 2_000;

/** Manages the one socket: connects, waits longer after each failure, and publishes its state. */
export class Connection {
  readonly state = new Observable<ConnectionState>({ phase: 'connecting' });
  private readonly socket: Socket;
  private readonly eventListeners = new Set<(event: ServerEvent) => void>();
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.socket = io({
      transports: ['websocket'],
      reconnection: false,
      autoConnect: false,
      auth: (give) => give(readToken() === null ? {} : { token: readToken() }),
    });
    this.socket.on('connect', () => this.connected());
    this.socket.on('connect_error', (error) => this.failed(error));
    this.socket.on('disconnect', () => this.lost());
    this.socket.onAny((name: string, event: ServerEvent) => this.received(name, event));
    this.socket.io.on('ping', () => this.heard());
    window.addEventListener('online', () => this.tryNow());
    window.addEventListener('offline', () => this.socket.connected && this.socket.disconnect());
  }

  open(): void {
    this.connect();
  }

  /** Ends the waiting for the next try. */
  tryNow(): void {
    if (this.state.get().phase !== 'waiting') return;
    clearTimeout(this.timer);
    this.state.set({ ...this.state.get(), phase: 'connecting', nextTryAt: undefined });
    this.connect();
  }

  signIn(token: string): void {
    if (!acceptToken(token)) return location.reload();
    this.failures = 0;
    this.state.set({ phase: 'connecting' });
    this.socket.disconnect();
    this.connect();
  }

  /** Drops the token and asks for another one. If a token was used and there is a reason, it is shown. */
  signOut(reason?: ConnectionState['reason']): void {
    if (this.state.get().phase === 'signed_out') return;
    const hadToken = readToken() !== null;
    writeToken(null);
    clearTimeout(this.timer);
    this.state.set({ phase: 'signed_out', reason: hadToken ? reason : undefined });
    this.socket.disconnect();
  }

  onEvent(listener: (event: ServerEvent) => void): void {
    this.eventListeners.add(listener);
  }

  /** Sends once; rejects with {@link RequestError}. Nothing is buffered while the socket is down. */
  async request<N extends ClientRequestName>(name: N, body: ClientRequest<N>): Promise<ClientAnswer<N>> {
    if (!this.socket.connected) throw new RequestError('unavailable', 'Not connected.');
    let answer: ClientAnswer<N> | ClientError;
    try {
      answer = (await this.socket.timeout(ACK_TIMEOUT_MS).emitWithAck(name, body)) as
        ClientAnswer<N> | ClientError;
    } catch {
      throw new RequestError('unavailable', 'The server did not answer.');
    }
    if (answer !== null && typeof answer === 'object' && 'error' in answer) {
      const { code, message, retry_after_ms } = answer.error;
      throw new RequestError(code, message, retry_after_ms);
    }
    return answer;
  }

  /** The token is also in the handshake, so that many connections without a token cannot keep users out. */
  private connect(): void {
    this.socket.io.opts.protocols = toProtocols(readToken());
    this.socket.connect();
  }

  private connected(): void {
    this.failures = 0;
    const { lostAt } = this.state.get();
    const now = Date.now();
    const again = lostAt !== undefined && now - lostAt >= NOTICEABLE_GAP_MS;
    this.state.set({ phase: 'connected', heardAt: now, connectedAt: now, again });
  }

  private failed({ message, data = {} }: Error & { data?: Refusal }): void {
    rememberSignInMethod(data.sign_in);
    if (message === 'unauthorized' || data.code === 'unauthorized') return this.signOut('refused');
    this.wait(data.retry_after_ms);
  }

  private lost(): void {
    if (this.state.get().phase === 'connected') this.wait();
  }

  private wait(leastMs = 0): void {
    if (this.state.get().phase === 'signed_out') return;
    clearTimeout(this.timer);
    const now = Date.now();
    const longest = Math.min(FIRST_RETRY_MS * 2 ** this.failures, LONGEST_RETRY_MS);
    const delayMs = Math.max(leastMs, longest * (0.75 + Math.random() * 0.25));
    this.failures += 1;
    const { lostAt = now, heardAt } = this.state.get();
    this.state.set({ phase: 'waiting', lostAt, heardAt, nextTryAt: now + delayMs });
    this.timer = setTimeout(() => this.tryNow(), delayMs);
  }

  private heard(): void {
    const state = this.state.get();
    // Not through `set`, because the time matters only after the connection is lost: no listener has to run.
    if (state.phase === 'connected') state.heardAt = Date.now();
  }

  private received(name: string, event: ServerEvent): void {
    this.heard();
    if (name === 'token_expired') return this.signOut('expired');
    if (typeof event !== 'object' || event === null || event.type !== name || !('conversation_id' in event))
      return;
    for (const listener of this.eventListeners) listener(event);
  }
}

/** The subprotocols of the WebSocket. The server selects the first one offered. */
function toProtocols(token: string | null): string[] {
  // Browsers refuse to connect if the name has other characters.
  return token !== null && /^[\w.-]+$/.test(token) ? ['switchyard', `bearer.${token}`] : [];
}
