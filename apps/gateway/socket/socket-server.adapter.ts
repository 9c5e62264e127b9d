import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions } from 'socket.io';
import { judgeRequest, type OriginRules } from '../safety/judge-request.js';
import { originOf } from '../safety/origin-rules.js';
import type { Admission } from './admission.js';
import { refuseUpgrade } from './refuse-upgrade.js';

/** Where clients find it; the default of Socket.IO. */
export const SOCKET_IO_PATH = '/socket.io/';

const MAX_FRAME_BYTES = 1024 * 1024;
/** A connection that never enters the namespace holds a socket and proves nothing. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Connections beside those that are let in: they are still being checked, or will be told why not. */
const SPARE_CONNECTIONS = 100;

/** Socket.IO as this gateway runs it (docs: WebSocket only, so no sticky sessions). */
export class SocketServerAdapter extends IoAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly rules: OriginRules,
    private readonly sockets: number,
    private readonly admission: Pick<Admission, 'isClosed'>,
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
      maxHttpBufferSize: MAX_FRAME_BYTES,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Upgrades of other paths are `serveUpgrades`'s: Engine.IO would cut them off after a second.
      destroyUpgrade: false,
      allowRequest: (request, decide) => {
        const reason = judgeRequest(originOf(request), this.rules);
        const isFull = server.engine.clientsCount >= this.sockets + SPARE_CONNECTIONS;
        if (reason !== undefined) refuseUpgrade(request.socket, 403, reason);
        else if (this.admission.isClosed) refuseUpgrade(request.socket, 503, STOPPING, STOPPING_RETRY_MS);
        else if (isFull) refuseUpgrade(request.socket, 503, FULL, FULL_RETRY_MS);
        else return decide(null, true);
        decide('forbidden', false);
      },
    } as ServerOptions) as Server;
    return server;
  }
}

const STOPPING_RETRY_MS = 1_000;
const STOPPING = 'This process is about to stop.';
const FULL_RETRY_MS = 5_000;
const FULL = 'This process has no room for more connections.';
