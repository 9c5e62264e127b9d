import { WebSocket } from 'ws';
import type { ServerFrame } from '../../../apps/gateway/dialects/genesis-chat/server-frame.js';
import { waitFor } from '../../services/wait-for.js';

export interface ReceivedFrame {
  frame: ServerFrame;
}

/** A socket of `/ws/chat` that remembers what it was told. */
export class GenesisClient {
  readonly received: ReceivedFrame[] = [];
  isOpen = false;
  /** Close code and reason; undefined while it is open. */
  closed: { code: number; reason: string } | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) throw new Error('a binary frame');
      this.received.push({ frame: JSON.parse(data.toString('utf8')) as ServerFrame });
    });
    socket.on('open', () => (this.isOpen = true));
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString('utf8') }));
  }

  /** `url`: the gateway's. Rejects with `HandshakeRefused` if there is no upgrade. */
  static async open(
    url: string,
    { token, headers = {}, path = '/ws/chat' }: { token?: string; headers?: object; path?: string } = {},
  ): Promise<GenesisClient> {
    const query = token === undefined ? '' : `?token=${token}`;
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}${query}`, {
      headers: headers as Record<string, string>,
    });
    const client = new GenesisClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.on('unexpected-response', (_request, response) => {
        socket.terminate();
        reject(new HandshakeRefused(response.statusCode ?? 0, response.headers, client.isOpen));
      });
      socket.on('error', reject);
    });
    return client;
  }

  get frames(): ServerFrame[] {
    return this.received.map(({ frame }) => frame);
  }

  /** Without what is not part of an answer. */
  get types(): string[] {
    return this.frames.map(({ type }) => type).filter((type) => type !== 'pong');
  }

  /** All tokens, joined. */
  get text(): string {
    return this.of('token')
      .map(({ content }) => content)
      .join('');
  }

  of<T extends ServerFrame['type']>(type: T): Extract<ServerFrame, { type: T }>[] {
    return this.frames.filter((frame): frame is Extract<ServerFrame, { type: T }> => frame.type === type);
  }

  say(conversation_id: string, content: string, more: object = {}): void {
    this.sendRaw(JSON.stringify({ type: 'message', conversation_id, content, ...more }));
  }

  sendRaw(data: string | Buffer): void {
    this.socket.send(data);
  }

  /** The `count`th frame of this type. */
  async next<T extends ServerFrame['type']>(
    type: T,
    count = 1,
    timeoutMs = 10_000,
  ): Promise<Extract<ServerFrame, { type: T }>> {
    await waitFor(() => this.of(type).length >= count, { what: `${type} number ${count}`, timeoutMs });
    return this.of(type)[count - 1]!;
  }

  async closing(): Promise<{ code: number; reason: string }> {
    return waitFor(() => this.closed, { what: 'the end of the socket' });
  }

  /** As a browser does when its page goes away. */
  close(): void {
    this.socket.close(1001);
  }

  /** The connection breaks, without a close frame. */
  cut(): void {
    this.socket.terminate();
  }
}

export class HandshakeRefused extends Error {
  constructor(
    readonly status: number,
    readonly headers: NodeJS.Dict<string | string[]>,
    readonly wasOpen: boolean,
  ) {
    super(`the handshake was answered with ${status}`);
  }
}
