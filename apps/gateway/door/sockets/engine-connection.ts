import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';

/** Answers and events that may wait in this process for one client to read; then the client is cut off. */
const MAX_UNREAD_PACKETS = 1_024;
/** Two snapshots of a long conversation in UTF-8, and room for answers. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** Engine.IO's connection, with what its declared types leave out. WebSocket is its only transport. */
export interface EngineConnection {
  readonly request: IncomingMessage;
  /** Packets are kept back here while the transport has not taken the ones before. */
  readonly writeBuffer: readonly { data?: unknown }[];
  readonly transport: { readonly socket: WebSocket };
  on(event: 'packet', listener: (packet: EnginePacket) => void): void;
  once(event: 'drain' | 'close', listener: () => void): void;
  /** After what waits has been handed over; with `discard` at once. */
  close(discard?: boolean): void;
}

export interface EnginePacket {
  type: string;
  data?: unknown;
}

export function isClogged(connection: EngineConnection): boolean {
  return connection.writeBuffer.length >= MAX_UNREAD_PACKETS || unreadBytes(connection) >= MAX_UNREAD_BYTES;
}

/** What waits in this process for its client. */
export function unreadBytes({ writeBuffer, transport }: EngineConnection): number {
  let bytes = transport.socket.bufferedAmount;
  for (const { data } of writeBuffer) if (isSized(data)) bytes += data.length;
  return bytes;
}

/** Ends the connection now. A close waits until the client has read what is buffered, which a hostile one never does. */
export function terminate(connection: EngineConnection): void {
  connection.transport.socket.terminate();
  // Packets of the same chunk are still to be handed over: Engine.IO takes none once it is closed.
  connection.close(true);
}

function isSized(data: unknown): data is string | Buffer {
  return typeof data === 'string' || Buffer.isBuffer(data);
}
