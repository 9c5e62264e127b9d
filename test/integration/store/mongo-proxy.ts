import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import mongoose from 'mongoose';

export interface RecordedCommand {
  name: string;
  command: Record<string, unknown>;
}

const opMessage = 2013;
const headerBytes = 16;

/** Stands between a store and its server: records commands and loses answers on request. */
export class MongoProxy {
  readonly commands: RecordedCommand[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private losesAnswerTo?: string;

  private constructor(readonly target: URL) {
    this.server = createServer((client) => this.join(client));
  }

  static async start(url: string): Promise<MongoProxy> {
    const proxy = new MongoProxy(new URL(url));
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

  /** The next command of that name reaches the server, whose answer is lost together with the connection. */
  loseNextAnswerTo(name: string): void {
    this.losesAnswerTo = name;
  }

  commandsNamed(name: string): Record<string, unknown>[] {
    return this.commands.filter((recorded) => recorded.name === name).map(({ command }) => command);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let isAnswerLost = false;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => [client, server].forEach((each) => each.destroy()));
    }
    readMessages(client, (message) => {
      isAnswerLost ||= this.record(message);
      server.write(message);
    });
    server.on('data', (data) => (isAnswerLost ? client.destroy() : client.write(data)));
  }

  /** Whether the answer to this one is to be lost. */
  private record(message: Buffer): boolean {
    if (message.readInt32LE(12) !== opMessage) return false;
    const body = message.subarray(headerBytes + 4 + 1);
    const command = mongoose.mongo.BSON.deserialize(body.subarray(0, body.readInt32LE(0)));
    const name = Object.keys(command)[0] ?? '';
    this.commands.push({ name, command });
    if (name !== this.losesAnswerTo) return false;
    this.losesAnswerTo = undefined;
    return true;
  }
}

function readMessages(socket: Socket, take: (message: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= headerBytes && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      take(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  });
}
