import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseUpgrade } from './refuse-upgrade.js';
import { SOCKET_IO_PATH } from './socket-server.adapter.js';

/** Takes a handshake over, or refuses it. Never throws. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Handshakes of WebSockets besides Socket.IO's, by their exact path. */
export function serveUpgrades(server: Server, takers: ReadonlyMap<string, TakeUpgrade>): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { url = '' } = request;
    if (url.startsWith(SOCKET_IO_PATH)) return;
    // A client that disconnects while it is being checked is not an error of this process.
    socket.on('error', () => undefined);
    const take = takers.get(url.split('?', 1)[0]!);
    if (take) take(request, socket, head);
    else refuseUpgrade(socket, 404, 'There is no WebSocket at this path.');
  });
}
