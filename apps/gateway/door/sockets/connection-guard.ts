import type { Refusals } from '#observability';
import type { Clock, Timer } from '#time';
import { costsTooMuch } from '../bodies/costs-too-much.js';
import { isClogged, terminate, type EngineConnection, type EnginePacket } from './engine-connection.js';
import type { Stranger } from './unknown-sockets.js';
import type { UnreadBytes } from './unread-bytes.js';
import type { UserTraffic } from './user-traffic.js';

/** Of which a connection has said who it is. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Of an event: the decoder keeps up to ten until the last has come, or the connection is closed. */
const MAX_ATTACHMENT_BYTES = 8 * 1024;
/** Received before that: a CONNECT packet with a token, perhaps again with another one. */
const MAX_UNKNOWN_BYTES = 64 * 1024;
const MAX_UNKNOWN_PACKETS = 8;
/** CONNECT packets of one connection: each is answered, and there is one namespace. */
const MAX_CONNECTS = 8;
/** For what waits to be sent when a connection is asked to close. */
const FAREWELL_MS = 10_000;

/** Types of Socket.IO's packets. */
const CONNECT = 0;
const BINARY_EVENT = 5;
const BINARY_ACK = 6;

export interface GuardDeps {
  traffic: Pick<UserTraffic, 'receive'>;
  unread: Pick<UnreadBytes, 'enter' | 'look'>;
  refusals: Pick<Refusals, 'note'>;
  clock: Clock;
}

/** Bounds every connection of Socket.IO from its first byte on, before what it sends is acted upon. */
export class ConnectionGuard {
  private readonly watched = new WeakMap<EngineConnection, WatchedConnection>();

  constructor(private readonly deps: GuardDeps) {}

  watch(connection: EngineConnection, stranger: Stranger): void {
    this.watched.set(connection, new WatchedConnection(connection, stranger, this.deps));
  }

  /** It has said who it is: from now on it has no stranger's place, and what it sends is counted as the user's. */
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
  private farewell: Timer | undefined;

  constructor(
    private readonly connection: EngineConnection,
    private readonly stranger: Stranger,
    private readonly deps: GuardDeps,
  ) {
    const end = () => this.end('connect_timeout');
    this.timeout = deps.clock.after(CONNECT_TIMEOUT_MS, end, { unref: true });
    stranger.evict = () => terminate(connection);
    connection.on('packet', (packet) => this.receivedPacket(packet));
    // Before the WebSocket's own listener, and of the transport: pings and unfinished frames are no packets.
    connection.request.socket.prependListener('data', (chunk: Buffer) => this.received(chunk.length));
    this.limitClosing();
    connection.once('close', () => {
      this.timeout.cancel();
      this.farewell?.cancel();
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
    this.deps.unread.look(this.connection);
    // Socket.IO parses it next, on the event loop.
    if (typeof data === 'string' && costsTooMuch(data)) this.end('values_per_frame');
  }

  /** No event has attachments, so one with a few bytes in it is answered as any other that is wrong. */
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

  /** Whoever closes it, Socket.IO included: Engine.IO waits until the client has read all that is buffered. */
  private limitClosing(): void {
    const { connection } = this;
    const close = connection.close.bind(connection);
    connection.close = (discard) => {
      this.farewell ??= this.deps.clock.after(FAREWELL_MS, () => terminate(connection), { unref: true });
      close(discard);
    };
  }
}

/** As Socket.IO's decoder reads it, which takes the type as a number: a space stands for 0, too. */
function kindOf({ type, data }: EnginePacket): 'connect' | 'binary' | 'other' {
  // Attachments, and what announces them: the decoder keeps up to ten of them for as long as the connection is open.
  if (data !== undefined && typeof data !== 'string') return 'binary';
  if (type !== 'message' || data === undefined) return 'other';
  const number = Number(data.charAt(0));
  if (number === CONNECT) return 'connect';
  return number === BINARY_EVENT || number === BINARY_ACK ? 'binary' : 'other';
}
