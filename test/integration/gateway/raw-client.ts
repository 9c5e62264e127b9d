import { createRequire } from 'node:module';
import { waitFor } from '../../services/wait-for.js';

/** The part of `ws` that these tests use; it comes with socket.io and has no types of its own. */
interface RawSocket {
  readyState: number;
  on(event: 'message' | 'pong', listener: (data: Buffer) => void): void;
  on(event: 'open' | 'close' | 'error', listener: (detail: unknown) => void): void;
  send(data: string | Buffer): void;
  ping(data?: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}
type RawSocketClass = new (url: string, options?: { headers?: Record<string, string> }) => RawSocket;

const require = createRequire(import.meta.url);
const WebSocket = require('ws') as RawSocketClass;

/** A connection that speaks Engine.IO and Socket.IO by hand, and may say anything. */
export class RawClient {
  readonly frames: string[] = [];
  isClosed = false;
  private constructor(readonly socket: RawSocket) {
    socket.on('message', (data) => {
      const frame = data.toString();
      this.frames.push(frame);
      if (frame === '2') socket.send('3');
    });
    socket.on('close', () => (this.isClosed = true));
    socket.on('error', () => (this.isClosed = true));
  }

  static open(url: string, headers: Record<string, string> = {}): RawClient {
    const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    return new RawClient(new WebSocket(address, { headers }));
  }

  /** A connection that has entered the default namespace. */
  static async enter(url: string): Promise<RawClient> {
    const raw = RawClient.open(url);
    await waitFor(() => raw.packets('0').length > 0, { what: 'the handshake' });
    raw.socket.send('40');
    await waitFor(() => raw.packets('40').length > 0, { what: 'the namespace' });
    return raw;
  }

  /** Frames that are packets of the default namespace: `42[…]` events and `43…` acknowledgements. */
  packets(prefix: string): string[] {
    return this.frames.filter((frame) => frame.startsWith(prefix));
  }
}
