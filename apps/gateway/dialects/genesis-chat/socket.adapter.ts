import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import type { Refusals } from '#observability';
import type { Clock, Timer } from '#time';
import type { User } from '../../people/auth/user.js';
import { BoundedWebSocketServer } from '../../door/sockets/web-socket-server.adapter.js';
import type { GenesisSockets } from './genesis-sockets.js';
import type { ServerFrame } from './server-frame.js';
import type { Wire } from './wire.js';

const MAX_FRAME_BYTES = 1024 * 1024;
/** The amount that may wait in this process for a client before the next frame is made. */
const ROOM_BYTES = 64 * 1024;
/** Answers to pings are not held back: a client that continues to ping without reading them is cut off. */
const CLOGGED_BYTES = 4 * 1024 * 1024;
const CLOGGED_FRAMES = 1_024;
const BEAT_MS = 30_000;
/** A client that reads only on request must have the time to answer. */
const PROBE_MS = 10_000;
/** After the close frame, for the client's own. */
const CLOSE_GRACE_MS = 2_000;
/** No close frame came. */
const ABNORMAL = 1006;

/** WebSockets of the library `ws`. */
export class SocketServer {
  private readonly server = new BoundedWebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  });

  constructor(
    private readonly sockets: GenesisSockets,
    private readonly refusals: Pick<Refusals, 'note'>,
    private readonly clock: Clock,
  ) {}

  /** The user is already known; errors in the handshake itself are answered here. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, user: User): void {
    this.server.handleUpgrade(request, socket, head, (connection) => this.serve(connection, socket, user));
  }

  private serve(connection: WebSocket, transport: Duplex, user: User): void {
    const about = { user_id: user.id };
    const wire = new SocketWire(connection, this.clock, () => this.refusals.note('unread_answers', about));
    const listener = this.sockets.begin(user, wire);
    // Before the WebSocket's own listener: pings and unfinished frames count, too.
    transport.prependListener('data', (chunk: Buffer) => {
      if (listener.arrived(chunk.length) === 'fine' || wire.isCutOff) return;
      this.refusals.note('bytes_per_minute', about);
      wire.cutOff();
    });
    connection.on('message', (data: RawData, isBinary: boolean) => {
      // The rest of a chunk after which the client was cut off.
      if (wire.isCutOff) return;
      listener.received(isBinary ? undefined : (data as Buffer).toString('utf8'));
    });
    // `ws` answers invalid frames itself, by closing.
    connection.on('error', () => undefined);
    connection.on('close', (code: number) => {
      wire.stop();
      listener.ended(!wire.isClosing && code !== ABNORMAL);
    });
  }
}

class SocketWire implements Wire {
  isClosing = false;
  isCutOff = false;
  private sent = 0;
  private unsentFrames = 0;
  private readonly arrivals = new Map<number, () => void>();
  private isAlive = true;
  private readonly beat: Timer;
  /** The time at which the connection is cut off unless it shows a sign of life, or closes. */
  private readonly cuts = new Set<Timer>();

  constructor(
    private readonly connection: WebSocket,
    private readonly clock: Clock,
    private readonly noteUnread: () => void,
  ) {
    connection.on('message', () => (this.isAlive = true));
    connection.on('pong', (data: Buffer) => this.arrived(Number(data.toString('latin1'))));
    this.beat = clock.every(BEAT_MS, () => this.check(), { unref: true });
  }

  send(frame: ServerFrame): Promise<void> {
    const { connection } = this;
    if (connection.readyState !== WebSocket.OPEN) return Promise.resolve();
    if (this.unsentFrames >= CLOGGED_FRAMES || connection.bufferedAmount >= CLOGGED_BYTES) {
      this.noteUnread();
      this.cutOff();
      return Promise.resolve();
    }
    this.unsentFrames++;
    return new Promise((resolve) => {
      connection.send(JSON.stringify(frame), () => {
        this.unsentFrames--;
        resolve();
      });
      if (connection.bufferedAmount < ROOM_BYTES) resolve();
    });
  }

  /** Every client answers a ping frame by itself, in order with what came before. */
  onceArrived(listener: () => void): void {
    if (this.connection.readyState !== WebSocket.OPEN) return;
    this.arrivals.set(++this.sent, listener);
    this.connection.ping(String(this.sent));
  }

  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.connection.close(code, reason);
    this.cutOffIn(CLOSE_GRACE_MS, () => true);
  }

  cutOff(): void {
    this.isCutOff = true;
    this.connection.terminate();
  }

  stop(): void {
    this.beat.cancel();
    for (const cut of this.cuts) cut.cancel();
    this.cuts.clear();
    this.arrivals.clear();
  }

  private cutOffIn(ms: number, isDue: () => boolean): void {
    const act = () => {
      this.cuts.delete(cut);
      if (isDue()) this.cutOff();
    };
    const cut = this.clock.after(ms, act, { unref: true });
    this.cuts.add(cut);
  }

  private arrived(number: number): void {
    this.isAlive = true;
    for (const [sent, listener] of this.arrivals) {
      if (sent > number) return;
      this.arrivals.delete(sent);
      listener();
    }
  }

  probe(): void {
    if (this.connection.readyState !== WebSocket.OPEN) return;
    this.isAlive = false;
    this.connection.ping(String(this.sent));
    this.cutOffIn(PROBE_MS, () => !this.isAlive);
  }

  /** A client that disappeared silently does not read anything either. */
  private check(): void {
    if (!this.isAlive) return this.connection.terminate();
    this.isAlive = false;
    this.connection.ping(String(this.sent));
  }
}
