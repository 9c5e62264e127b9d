import type { Refusals } from '#observability';
import type { Clock, Timer } from '#time';
import { exceedsFrameValues } from '../bodies/frame-values.js';
import { isClogged, terminate, type EngineConnection, type EnginePacket } from './engine-connection.js';
import type { Stranger } from './unknown-sockets.js';
import type { UnreadBytes } from './unread-bytes.js';
import type { UserTraffic } from './user-traffic.js';

/** Time within which a connection must authenticate. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Of an event: the decoder keeps up to ten until the last has come, or the connection is closed. */
const MAX_ATTACHMENT_BYTES = 8 * 1024;
/** Before it has authenticated: a CONNECT packet with a token, perhaps again with another one. */
const MAX_UNKNOWN_BYTES = 64 * 1024;
const MAX_UNKNOWN_PACKETS = 8;
/** CONNECT packets of one connection: each is answered, and there is one namespace. */
const MAX_CONNECTS = 8;
/** Time for pending packets when a connection is asked to close. */
const CLOSE_GRACE_MS = 10_000;

/** Types of Socket.IO's packets. */
const CONNECT = 0;
const BINARY_EVENT = 5;
const BINARY_ACK = 6;

export interface GuardDeps {
  traffic: Pick<UserTraffic, 'receive'>;
  unread: Pick<UnreadBytes, 'enter' | 'check'>;
  refusals: Pick<Refusals, 'note'>;
  clock: Clock;
}

/** Bounds every Socket.IO connection from its first byte, before its packets are handled. */
export class ConnectionGuard {
  private readonly watched = new WeakMap<EngineConnection, WatchedConnection>();

  constructor(private readonly deps: GuardDeps) {}

  watch(connection: EngineConnection, stranger: Stranger): void {
    this.watched.set(connection, new WatchedConnection(connection, stranger, this.deps));
  }

  /** It has authenticated: from now on it holds no stranger's place, and its traffic counts as the user's. */
  know(connection: EngineConnection, userId: string): void {
    this.watched.get(connection)?.know(userId);
  }
}

class WatchedConnection {
  private userId: string | undefined;
  private bytes = 0;
  private packets = 0;
  private connects = 0;
  private readonly timeout: Timer;
  private closeTimer: Timer | undefined;

  constructor(
    private readonly connection: EngineConnection,
    private readonly stranger: Stranger,
    private readonly deps: GuardDeps,
  ) {
    const end = () => this.end('connect_timeout');
    this.timeout = deps.clock.after(CONNECT_TIMEOUT_MS, end, { unref: true });
    stranger.evict = () => terminate(connection);
    connection.on('packet', (packet) => this.receivedPacket(packet));
    // Listens on the transport, before the WebSocket's own listener: pings and unfinished frames are not packets.
    connection.request.socket.prependListener('data', (chunk: Buffer) => this.received(chunk.length));
    this.limitClosing();
    connection.once('close', () => {
      this.timeout.cancel();
      this.closeTimer?.cancel();
    });
  }

  know(userId: string): void {
    this.userId = userId;
    this.deps.unread.enter(this.connection, userId);
    this.timeout.cancel();
    this.stranger.leave();
  }

  private received(bytes: number): void {
    if (this.userId === undefined) {
      this.bytes += bytes;
      if (this.bytes > MAX_UNKNOWN_BYTES) this.end('bytes_of_unknown_socket');
    } else if (this.deps.traffic.receive(this.userId, bytes) === 'cut off') this.end('bytes_per_minute');
  }

  private receivedPacket(packet: EnginePacket): void {
    const { data } = packet;
    const kind = kindOf(packet);
    if (kind === 'binary' && !this.mayAttach(data)) return this.end('binary_frames');
    if (this.userId === undefined && ++this.packets > MAX_UNKNOWN_PACKETS)
      return this.end('packets_of_unknown_socket');
    if (kind === 'connect' && ++this.connects > MAX_CONNECTS) return this.end('connects_per_socket');
    if (isClogged(this.connection)) return this.end('unread_answers');
    this.deps.unread.check(this.connection);
    // Socket.IO parses it next, on the event loop.
    if (typeof data === 'string' && exceedsFrameValues(data)) this.end('values_per_frame');
  }

  /** No event has attachments, so an event with a few bytes of them is answered like any other invalid event. */
  private mayAttach(data: unknown): boolean {
    if (this.userId === undefined) return false;
    return typeof data === 'string' || (data as ArrayBufferView).byteLength <= MAX_ATTACHMENT_BYTES;
  }

  private end(limit: string): void {
    const { userId, stranger, connection } = this;
    this.deps.refusals.note(
      limit,
      userId === undefined ? { address: stranger.address } : { user_id: userId },
    );
    terminate(connection);
  }

  /** For every close, including Socket.IO's: Engine.IO waits until the client has read the whole buffer. */
  private limitClosing(): void {
    const { connection } = this;
    const close = connection.close.bind(connection);
    connection.close = (discard) => {
      this.closeTimer ??= this.deps.clock.after(CLOSE_GRACE_MS, () => terminate(connection), { unref: true });
      close(discard);
    };
  }
}

/** Reads the type like Socket.IO's decoder, as a number: a space also means 0. */
function kindOf({ type, data }: EnginePacket): 'connect' | 'binary' | 'other' {
  // Attachments and their headers: the decoder keeps up to ten of them for as long as the connection is open.
  if (data !== undefined && typeof data !== 'string') return 'binary';
  if (type !== 'message' || data === undefined) return 'other';
  const number = Number(data.charAt(0));
  if (number === CONNECT) return 'connect';
  return number === BINARY_EVENT || number === BINARY_ACK ? 'binary' : 'other';
}
