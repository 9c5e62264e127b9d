import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * `pass`: as if there was nothing. `stall`: bytes wait, both ways, and flow on later. `cut`: connections break, new
 * ones too. `half-open`: connections stand, new ones too, but what the server says is lost; what has lost something
 * stays so until it is closed.
 */
export type ProxyMode = 'pass' | 'stall' | 'cut' | 'half-open';

interface Link {
  client: Socket;
  server: Socket;
  /** What the server said was lost: nothing that it says later can be made sense of. */
  isMute: boolean;
}

/** A network that a test breaks and mends: stands on a port of 127.0.0.1 before a server. */
export class TcpProxy {
  /** How long something that a client says is kept before it is passed on, by what it is. */
  delayMs: (data: Buffer) => number = () => 0;
  /** Hears what passes; `link` is the same for both sides of a connection. */
  hear: (link: object, from: 'client' | 'server', data: Buffer) => void = () => undefined;
  private readonly server: Server;
  private readonly links = new Set<Link>();
  private target: URL;
  private currentMode: ProxyMode = 'pass';

  private constructor(target: string) {
    this.target = new URL(target);
    this.server = createServer({ pauseOnConnect: true }, (client) => this.accept(client));
  }

  /** @param target URL of the server, of whatever protocol */
  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** The target's URL with this proxy's address. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Connections that neither side has closed. */
  get connections(): number {
    return this.links.size;
  }

  get mode(): ProxyMode {
    return this.currentMode;
  }

  set mode(mode: ProxyMode) {
    this.currentMode = mode;
    for (const link of this.links) {
      if (mode === 'cut') close(link);
      if (mode === 'half-open') link.isMute = true;
      this.flow(link);
    }
  }

  /** New connections lead to another server, as behind a load balancer. */
  leadTo(target: string): void {
    this.target = new URL(target);
  }

  async stop(): Promise<void> {
    this.mode = 'cut';
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    if (this.currentMode === 'cut') {
      client.destroy();
      return;
    }
    const server = connect(Number(this.target.port), this.target.hostname);
    const link: Link = { client, server, isMute: this.currentMode === 'half-open' };
    this.links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => this.end(link));
    }
    client.on('data', (data) => {
      this.hear(link, 'client', data);
      this.passOn(link, data);
    });
    server.on('data', (data) => {
      this.hear(link, 'server', data);
      if (!link.isMute) client.write(data);
    });
    this.flow(link);
  }

  private passOn(link: Link, data: Buffer): void {
    const delayMs = this.delayMs(data);
    if (delayMs === 0) {
      link.server.write(data);
      return;
    }
    link.client.pause();
    setTimeout(() => {
      link.server.write(data);
      this.flow(link);
    }, delayMs);
  }

  private flow({ client, server }: Link): void {
    for (const socket of [client, server]) {
      if (this.currentMode === 'stall') socket.pause();
      else socket.resume();
    }
  }

  private end(link: Link): void {
    close(link);
    this.links.delete(link);
  }
}

function close({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}
