import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';

/** How long it waits for the client's close frame after its own; `ws` waits for 30 s. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Like `ws`, but a client that does not read uses no memory with its pings and no time when it is closed. */
export class BoundedWebSocketServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    const bounds: ServerOptions & { closeTimeout: number } = {
      ...options,
      autoPong: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
    };
    super(bounds);
  }

  /** Engine.IO calls it too, without knowing about pings. */
  override handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    callback: (connection: WebSocket, request: IncomingMessage) => void,
  ): void {
    super.handleUpgrade(request, socket, head, (connection: WebSocket) => {
      answerPings(connection);
      callback(connection, request);
    });
  }
}

/** Answers pings; of those that arrive while a pong waits to be sent, only the last (RFC 6455 §5.5.3). */
export function answerPings(connection: WebSocket): void {
  let isSending = false;
  let last: Buffer | undefined;
  const answer = (data: Buffer): void => {
    isSending = true;
    connection.pong(data, undefined, () => {
      isSending = false;
      const next = last;
      last = undefined;
      if (next && connection.readyState === connection.OPEN) answer(next);
    });
  };
  connection.on('ping', (data: Buffer) => {
    if (connection.readyState !== connection.OPEN) return;
    if (isSending) last = data;
    else answer(data);
  });
}
