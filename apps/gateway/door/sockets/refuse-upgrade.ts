import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Time within which the client must read something of the answer. */
const LINGER_MS = 1_000;

/** Answers a handshake with plain HTTP: the client never sees an open connection, and is cut off if it reads nothing. */
export function refuseUpgrade(socket: Duplex, status: number, reason: string, retryAfterMs?: number): void {
  const retry =
    retryAfterMs === undefined ? '' : `Retry-After: ${Math.max(1, Math.ceil(retryAfterMs / 1000))}\r\n`;
  // Node keeps its half open for as long as the client does, and no longer applies its time limits.
  if (socket instanceof Socket) socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${retry}Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`,
  );
}
