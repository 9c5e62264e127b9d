import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions } from 'socket.io';
import { judgeRequest, type OriginRules } from '../safety/judge-request.js';
import { originOf } from '../safety/origin-rules.js';

const MAX_FRAME_BYTES = 1024 * 1024;
/** A connection that never enters the namespace holds a socket and proves nothing. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Socket.IO as this gateway runs it (docs: WebSocket only, so no sticky sessions). */
export class SocketServerAdapter extends IoAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly rules: OriginRules,
  ) {
    super(app);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    return super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      perMessageDeflate: false,
      httpCompression: false,
      serveClient: false,
      maxHttpBufferSize: MAX_FRAME_BYTES,
      connectTimeout: CONNECT_TIMEOUT_MS,
      allowRequest: (request, decide) => {
        const reason = judgeRequest(originOf(request), this.rules);
        if (reason === undefined) return decide(null, true);
        refuseUpgrade(request, reason);
        decide('forbidden', false);
      },
    } as ServerOptions);
  }
}

/** Engine.IO would answer 400; a browser's page that must not connect is told 403, as every other request is. */
function refuseUpgrade({ socket }: IncomingMessage, reason: string): void {
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`,
  );
}
