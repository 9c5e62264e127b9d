import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way of a worker to the broker, which a case may cut. */
export class BrokerLine {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.accept(client));
  private isCut = false;

  constructor(private readonly target: URL) {}

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** The broker's URL for the worker. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Connections break, and new ones do, until `mend`. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private accept(client: Socket): void {
    if (this.isCut) return void client.destroy();
    const broker = connect(Number(this.target.port || 5672), this.target.hostname);
    for (const [socket, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
