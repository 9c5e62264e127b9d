import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor } from './wait-for.js';

export interface RawConnectionOptions {
  port: number;
  /** Its own address, one of 127.0.0.0/8. */
  from?: string;
}

/** A connection on which anything may be sent, or nothing. */
export class RawConnection {
  received = '';
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    // Being cut off is a way to be closed.
    socket.on('error', () => undefined);
    socket.once('close', () => (this.isClosed = true));
  }

  static async open({ port, from }: RawConnectionOptions): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  send(text: string): void {
    if (!this.isClosed) this.socket.write(text, 'latin1');
  }

  /** The head of a request whose body has this many bytes, and what is sent of it. */
  begin(path: string, { method = 'POST', headers = {}, length = 100_000, body = '{' }: Begun = {}): void {
    const all = {
      Host: '127.0.0.1',
      'Content-Type': 'application/json',
      'Content-Length': length,
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  }

  /** Of the answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  async status(): Promise<number> {
    return waitFor(() => this.statuses[0], { what: 'an answer' });
  }

  async closed(): Promise<void> {
    await waitFor(() => this.isClosed, { what: 'the server closing the connection' });
  }

  close(): void {
    this.socket.destroy();
  }
}

export interface Begun {
  method?: string;
  headers?: Record<string, string | number>;
  length?: number;
  body?: string;
}
