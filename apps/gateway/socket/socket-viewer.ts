import type { Server, Socket } from 'socket.io';
import type { BacklogBudget } from '../feeds/backlog.js';
import type { OpenRoom, Room, ServerEvent, Viewer } from '../feeds/viewer.js';

/** Packets that may wait in the process for one socket; a burst within one tick is no sign of a slow reader. */
const MAX_WAITING_PACKETS = 64;
/** The same in characters: a snapshot has up to a million. */
const MAX_WAITING_LENGTH = 256 * 1024;
/** Answers to requests are never held back: who asks on and on without reading them is no client. */
const CLOGGED_PACKETS = 1_024;

/** The part of an Engine.IO connection that tells how far its reader is behind; not in the declared types. */
interface Connection {
  writeBuffer: readonly { data?: unknown }[];
  once(event: 'drain', listener: () => void): void;
  /** After what waits has been handed over. */
  close(): void;
  transport: { socket: { terminate(): void } };
}

export class SocketViewer implements Viewer {
  readonly budget: BacklogBudget = { length: 0 };
  private readonly connection: Connection;
  private readonly waiting: (() => void)[] = [];

  constructor(readonly socket: Socket) {
    this.connection = socket.conn as unknown as Connection;
  }

  send(event: ServerEvent): void {
    this.socket.emit(event.type, event);
  }

  /** Engine.IO keeps packets back while the transport has not taken the ones before. */
  isBehind(): boolean {
    const { writeBuffer } = this.connection;
    if (writeBuffer.length >= MAX_WAITING_PACKETS) return true;
    let length = 0;
    for (const { data } of writeBuffer) if (typeof data === 'string') length += data.length;
    return length >= MAX_WAITING_LENGTH;
  }

  isClogged(): boolean {
    return this.connection.writeBuffer.length >= CLOGGED_PACKETS;
  }

  /** Unlike Socket.IO's own disconnect it does not tell the client to stay away. */
  hangUp(): void {
    this.connection.close();
  }

  /** For who does not even take the end of the connection. */
  cutOff(): void {
    this.connection.transport.socket.terminate();
  }

  onceDrained(listener: () => void): void {
    if (this.waiting.push(listener) === 1) this.connection.once('drain', () => this.tellDrained());
  }

  private tellDrained(): void {
    for (const listener of this.waiting.splice(0)) listener();
  }
}

/** Rooms of Socket.IO: a broadcast is encoded and framed once for all of its sockets. Other viewers are told one by one. */
export function createSocketRooms(server: () => Server): OpenRoom {
  return (conversationId): Room => {
    const name = `conversation:${conversationId}`;
    const others = new Set<Viewer>();
    return {
      enter: (viewer) =>
        void (viewer instanceof SocketViewer ? viewer.socket.join(name) : others.add(viewer)),
      leave: (viewer) =>
        void (viewer instanceof SocketViewer ? viewer.socket.leave(name) : others.delete(viewer)),
      broadcast: (event) => {
        server().to(name).emit(event.type, event);
        for (const viewer of others) viewer.send(event);
      },
    };
  };
}
