import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions } from 'socket.io';
import { toRequestError } from '../../errors/to-request-error.js';
import type { AddressOf } from '../../limits/client-address.js';
import { sessionInCookie } from '../../people/auth/session-cookie.js';
import { judgeRequest, type OriginRules } from '../http/judge-request.js';
import { originOf } from '../http/origin-rules.js';
import { handshakeToken, type Admission } from './admission.js';
import type { ConnectionGuard } from './connection-guard.js';
import type { EngineConnection } from './engine-connection.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import type { Stranger, UnknownSockets } from './unknown-sockets.js';
import { BoundedWebSocketServer } from './web-socket-server.adapter.js';

/** The path for clients; Socket.IO's default. */
export const SOCKET_IO_PATH = '/socket.io/';

const MAX_FRAME_BYTES = 1024 * 1024;
/** Socket.IO asks a connection to close, `ConnectionGuard` ends it before. */
const CONNECT_TIMEOUT_MS = 60_000;

export interface SocketServerDeps {
  rules: OriginRules;
  addressOf: AddressOf;
  admission: Pick<Admission, 'isClosed' | 'expect'>;
  unknownSockets: UnknownSockets;
  guard: ConnectionGuard;
}

/** Socket.IO as this gateway runs it (docs: WebSocket only, so no sticky sessions). */
export class SocketServerAdapter extends IoAdapter {
  /** Until their connection is open. */
  private readonly strangers = new WeakMap<IncomingMessage, Stranger>();

  constructor(
    app: INestApplicationContext,
    private readonly deps: SocketServerDeps,
  ) {
    super(app);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    const server = super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      perMessageDeflate: false,
      httpCompression: false,
      serveClient: false,
      wsEngine: BoundedWebSocketServer,
      maxHttpBufferSize: MAX_FRAME_BYTES,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // `serveUpgrades` handles upgrades of other paths; Engine.IO would cut them off after a second.
      destroyUpgrade: false,
      allowRequest: (request, decide) => {
        // A client that disconnects while it is being checked is not an error of this process.
        request.socket.on('error', () => undefined);
        void this.mayConnect(request).then((may) => decide(may ? null : 'forbidden', may));
      },
    } as ServerOptions);
    // A request for an existing connection does not pass `allowRequest`, and would wait forever.
    server.engine.use((request: IncomingMessage, _response: unknown, next: (error?: Error) => void) =>
      next(isForExisting(request) ? new Error('WebSocket connections are not upgraded.') : undefined),
    );
    server.engine.on('connection', (connection: EngineConnection) => this.begin(connection));
    return server;
  }

  /** Answers a handshake that is refused. Never rejects. */
  private async mayConnect(request: IncomingMessage): Promise<boolean> {
    const { rules, admission } = this.deps;
    const reason = judgeRequest(originOf(request), rules);
    if (reason !== undefined) refuseUpgrade(request.socket, 403, reason);
    else if (admission.isClosed) refuseUpgrade(request.socket, 503, STOPPING, STOPPING_RETRY_MS);
    else
      try {
        await this.enter(request);
        return true;
      } catch (error) {
        const { message, retryAfterMs } = toRequestError(error);
        refuseUpgrade(request.socket, 503, message, retryAfterMs);
      }
    return false;
  }

  /** Finds a place for it. A token or a session in the handshake is checked first: a known user is not a stranger. */
  private async enter(request: IncomingMessage): Promise<void> {
    const { admission, unknownSockets, addressOf } = this.deps;
    const { socket } = request;
    const address = addressOf(request);
    const token = handshakeToken(request);
    if (token !== undefined || sessionInCookie(request, 'write') !== undefined) {
      const isKnown = () => admission.expect(request, token);
      if (await unknownSockets.whileChecked(address, isKnown).catch(() => false)) return;
    }
    if (socket.destroyed) return;
    this.strangers.set(request, await unknownSockets.enter(address, socket));
  }

  private begin(connection: EngineConnection): void {
    const { request } = connection;
    const known: Stranger = { address: this.deps.addressOf(request), leave: () => undefined };
    this.deps.guard.watch(connection, this.strangers.get(request) ?? known);
  }
}

/** The address as Engine.IO has parsed it; missing in the declared types. */
function isForExisting(request: IncomingMessage): boolean {
  return (request as IncomingMessage & { _query: { sid?: string } })._query.sid !== undefined;
}

const STOPPING_RETRY_MS = 1_000;
const STOPPING = 'This process takes no new connections.';
