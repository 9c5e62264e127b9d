import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';

/** Answers and events that may wait in this process for one client. Beyond that, the client is cut off. */
const MAX_UNREAD_PACKETS = 1_024;
/** Two snapshots of a long conversation in UTF-8, and room for answers. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** Engine.IO's connection, with the members that its declared types omit. WebSocket is its only transport. */
export interface EngineConnection {
  readonly request: IncomingMessage;
  /** Packets wait here until the transport has taken the earlier ones. */
  readonly writeBuffer: readonly { data?: unknown }[];
  readonly transport: { readonly socket: WebSocket };
  on(event: 'packet', listener: (packet: EnginePacket) => void): void;
  once(event: 'drain' | 'close', listener: () => void): void;
  /** Closes after the waiting packets have been handed over; with `discard`, at once. */
  close(discard?: boolean): void;
}

export interface EnginePacket {
  type: string;
  data?: unknown;
}

export function isClogged(connection: EngineConnection): boolean {
  return connection.writeBuffer.length >= MAX_UNREAD_PACKETS || unreadBytes(connection) >= MAX_UNREAD_BYTES;
}

/** Bytes that wait in this process for the client. */
export function unreadBytes({ writeBuffer, transport }: EngineConnection): number {
  let bytes = transport.socket.bufferedAmount;
  for (const { data } of writeBuffer) if (isSized(data)) bytes += data.length;
  return bytes;
}

/** Ends the connection now. A close waits until the client has read the buffer, which a hostile client never does. */
export function terminate(connection: EngineConnection): void {
  connection.transport.socket.terminate();
  // Packets of the same chunk are still to be handed over, and a closed Engine.IO connection takes none.
  connection.close(true);
}

function isSized(data: unknown): data is string | Buffer {
  return typeof data === 'string' || Buffer.isBuffer(data);
}
