import type { Server, Socket } from 'socket.io';
import type { BacklogBudget } from '../feeds/backlog.js';
import type { OpenRoom, Room, ServerEvent, Viewer } from '../feeds/viewer.js';
import { isClogged, terminate, type EngineConnection } from '../door/sockets/engine-connection.js';

/** Packets that may wait in the process for one socket; a burst within one tick is no sign of a slow reader. */
const MAX_WAITING_PACKETS = 64;
/** The same in characters: a snapshot has up to a million. */
const MAX_WAITING_LENGTH = 256 * 1024;

export class SocketViewer implements Viewer {
  readonly budget: BacklogBudget = { length: 0 };
  private readonly connection: EngineConnection;
  private readonly waiting: (() => void)[] = [];

  constructor(readonly socket: Socket) {
    this.connection = socket.conn as unknown as EngineConnection;
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

  /** Answers to requests are never held back: a client that continues to ask without reading them is cut off. */
  isClogged(): boolean {
    return isClogged(this.connection);
  }

  /** Unlike Socket.IO's own disconnect it does not tell the client to stay away. */
  hangUp(): void {
    this.connection.close();
  }

  /** For a client that does not even read the end of the connection. */
  cutOff(): void {
    terminate(this.connection);
  }

  onceDrained(listener: () => void): void {
    if (this.waiting.push(listener) === 1) this.connection.once('drain', () => this.notifyDrained());
  }

  private notifyDrained(): void {
    for (const listener of this.waiting.splice(0)) listener();
  }
}

/** Socket.IO rooms: a broadcast is encoded and framed once for all sockets. Other viewers are served one by one. */
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
