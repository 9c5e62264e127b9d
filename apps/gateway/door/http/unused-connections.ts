import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Remembers the connections on which nothing has been asked yet; browsers open such ones in advance. The returned
 * function breaks them, and all that come after it: `server.close()` counts them as busy, and would wait a minute for them.
 */
export function trackUnused(server: Server): () => void {
  const unused = new Set<Socket>();
  let isEnding = false;
  const isUsed = ({ socket }: { socket: Socket }) => unused.delete(socket);
  server.on('connection', (socket: Socket) => {
    if (isEnding) return void socket.destroy();
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', isUsed).on('upgrade', isUsed);
  return () => {
    isEnding = true;
    for (const socket of unused) socket.destroy();
  };
}
