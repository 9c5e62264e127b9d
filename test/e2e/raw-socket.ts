import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor } from '../services/wait-for.js';

const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;

/** A WebSocket to the Engine.IO endpoint that sends what a proper client never would. */
export class RawSocket {
  /** Texts of the server's frames, in order. */
  readonly received: string[] = [];
  isClosed = false;
  private buffer = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  /** Resolves once Engine.IO has said hello; `enter` is the packet that enters the namespace. */
  static async open(url: string, { enter = '40' }: { enter?: string } = {}): Promise<RawSocket> {
    const response = await upgrade(url);
    if (!response.head.startsWith('HTTP/1.1 101')) throw new Error(response.head);
    const raw = new RawSocket(response.socket);
    raw.read(response.rest);
    await waitFor(() => raw.received.some((text) => text.startsWith('0')), { what: 'the handshake' });
    if (enter === '') return raw;
    raw.send(enter);
    await waitFor(() => raw.received.some((text) => text.startsWith('40')), { what: 'the namespace' });
    return raw;
  }

  send(content: string | Buffer): void {
    const payload = Buffer.from(content as string);
    this.frame(typeof content === 'string' ? TEXT : BINARY, payload);
  }

  /** One masked frame with any operation code. */
  frame(code: number, payload: Buffer): void {
    const mask = randomBytes(4);
    const masked = Buffer.from(payload.map((byte, i) => byte ^ mask[i % 4]!));
    this.sendBytes(Buffer.concat([Buffer.from([0x80 | code]), lengthOf(payload.length), mask, masked]));
  }

  sendBytes(bytes: Buffer): void {
    if (!this.isClosed) this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }

  async closed(): Promise<void> {
    await waitFor(() => this.isClosed, { what: 'the server closing the connection' });
  }

  private read(chunk: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      if (this.buffer.length < 2) return;
      const short = this.buffer[1]! & 0x7f;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.buffer.length < head) return;
      const length =
        short === 126
          ? this.buffer.readUInt16BE(2)
          : short === 127
            ? Number(this.buffer.readBigUInt64BE(2))
            : short;
      if (this.buffer.length < head + length) return;
      const code = this.buffer[0]! & 0x0f;
      const payload = this.buffer.subarray(head, head + length);
      this.buffer = this.buffer.subarray(head + length);
      if (code === CLOSE) this.socket.end();
      else if (code === TEXT) this.received.push(payload.toString('utf8'));
    }
  }
}

/** Asks for the upgrade; the head of the answer, whatever it is. */
export async function upgrade(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ head: string; rest: Buffer; socket: Socket }> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const all = {
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${lines.join('')}\r\n`);
  return readHead(socket);
}

/** Sends bytes as they are and reads until the server closes the connection, be it by a reset. */
export async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return answer;
}

async function readHead(socket: Socket): Promise<{ head: string; rest: Buffer; socket: Socket }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0) return { head: bytes.subarray(0, end).toString(), rest: bytes.subarray(end + 4), socket };
  }
}

function lengthOf(length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = 0x80 | (length < 65_536 ? 126 : 127);
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}
