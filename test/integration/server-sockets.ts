import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { waitFor } from '../services/wait-for.js';

const ACCEPTED = 'net.server.socket';

/** The server's side of the connections that servers of this process take between `note` and `destroy`. */
export class ServerSockets {
  private readonly sockets: Socket[] = [];
  private readonly add = (message: unknown) => void this.sockets.push((message as { socket: Socket }).socket);

  note(): void {
    subscribe(ACCEPTED, this.add);
  }

  /** The other side of a client's connection. */
  async of({ localPort }: Socket): Promise<Socket> {
    const find = () => this.sockets.find(({ remotePort }) => remotePort === localPort);
    return waitFor(find, { what: 'the connection being accepted' });
  }

  destroy(): void {
    unsubscribe(ACCEPTED, this.add);
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
