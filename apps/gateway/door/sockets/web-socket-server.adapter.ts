import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';

/** After the close frame, for the client's own; `ws` waits for 30 s. */
const CLOSE_TIMEOUT_MS = 10_000;

/** As `ws` has it, but a client that does not read costs no memory with its pings, nor time with its end. */
export class BoundedWebSocketServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    const bounds: ServerOptions & { closeTimeout: number } = {
      ...options,
      autoPong: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
    };
    super(bounds);
  }

  /** Engine.IO calls it too, and knows nothing of pings. */
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

/** Answers pings, of those that come while a pong waits to be sent only the last one (RFC 6455 §5.5.3). */
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
