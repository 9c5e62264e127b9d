import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const BLOCK_BYTES = 64 * 1024;
/** How long a flood waits for a process that takes nothing. */
const STUCK_MS = 60_000;

export const OPCODES = { text: 0x81, binary: 0x82, ping: 0x89 } as const;

export interface DeafSocketOptions {
  /** Default: Socket.IO's. */
  path?: string;
  headers?: Record<string, string>;
}

/** A WebSocket over a bare TCP connection, which sends what it wants and reads only until `stopReading`. */
export class DeafSocket {
  isClosed = false;
  private received = '';

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
  }

  /** Sends the handshake; its answer, or the end of the connection, is there when it resolves. */
  static async open(port: number, { path, headers = {} }: DeafSocketOptions = {}): Promise<DeafSocket> {
    const socket = connect(port, '127.0.0.1');
    const deaf = new DeafSocket(socket);
    const lines = Object.entries({
      Host: `127.0.0.1:${port}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`);
    const target = path ?? '/socket.io/?EIO=4&transport=websocket';
    socket.write([`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    await deaf.until('\r\n\r\n');
    return deaf;
  }

  /** Says whose connection it is; resolves when it was let in, or has ended. */
  async signIn(token: string): Promise<void> {
    this.socket.write(frame(OPCODES.text, `40${JSON.stringify({ token })}`));
    await this.until('40{"sid"');
  }

  stopReading(): void {
    this.socket.pause();
  }

  /** Sends one frame. */
  send(opcode: number, payload: string): void {
    this.socket.write(frame(opcode, payload));
  }

  /** Sends a frame over and over; resolves when that many bytes were taken, or the connection has ended. */
  async flood(opcode: number, payload: string, bytes: number): Promise<void> {
    const one = frame(opcode, payload);
    const block = Buffer.concat(Array<Buffer>(Math.ceil(BLOCK_BYTES / one.length)).fill(one));
    for (let sent = 0; sent < bytes && !this.isClosed; sent += block.length)
      if (!this.socket.write(block) && !(await this.isDrained())) break;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** False: it takes nothing any more, or has ended. */
  private async isDrained(): Promise<boolean> {
    const over = new AbortController();
    const { signal } = over;
    const drained = once(this.socket, 'drain', { signal }).then(() => true);
    const ended = once(this.socket, 'close', { signal }).then(() => false);
    const stuck = delay(STUCK_MS, false, { signal });
    const isDrained = await Promise.race([drained, ended, stuck].map((one) => one.catch(() => false)));
    over.abort();
    return isDrained;
  }

  private async until(text: string): Promise<void> {
    while (!this.isClosed && !this.received.includes(text)) await delay(2);
  }
}

/** Masked with zeros, which changes nothing. */
function frame(opcode: number, payload: string): Buffer {
  const data = Buffer.from(payload);
  return Buffer.concat([Buffer.from([opcode]), lengthOf(data), Buffer.alloc(4), data]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 126) return Buffer.from([0x80 | length]);
  const isShort = length <= 0xffff;
  const encoded = Buffer.alloc(isShort ? 3 : 9);
  encoded.writeUInt8(0x80 | (isShort ? 126 : 127));
  encoded.writeUIntBE(length, isShort ? 1 : 3, isShort ? 2 : 6);
  return encoded;
}
