import type { Server, Socket } from 'socket.io';
import type { ProcessClock } from '#time/testing';
import { Line } from './line.js';

type Event = { type: string };

/** What a client has at its end. */
export interface ClientEnd {
  receive(event: Event): void;
  disconnected(): void;
}

/** A connection of a client to a gateway: packets in order, a buffer that may fill, and an end. */
export class SimulatedSocket {
  readonly data: { user: { id: string } };
  readonly rooms = new Set<string>();
  readonly conn: {
    writeBuffer: object[];
    /** Nothing is left in the kernel: who reads slowly has a full `writeBuffer`. */
    transport: { socket: { bufferedAmount: number } };
    once(event: string, act: () => void): void;
    close(): void;
  };
  private readonly drained: (() => void)[] = [];
  private readonly toClient: Line;
  private readonly toGateway: Line;
  isOpen = true;

  constructor(
    userId: string,
    private readonly clock: ProcessClock,
    private readonly client: ClientEnd,
    delayMs: () => number,
    private readonly onClose: () => void,
  ) {
    this.data = { user: { id: userId } };
    this.toClient = new Line(clock, delayMs);
    this.toGateway = new Line(clock, delayMs);
    this.conn = {
      writeBuffer: [],
      transport: { socket: { bufferedAmount: 0 } },
      once: (_event, act) => void this.drained.push(act),
      close: () => this.close(),
    };
  }

  emit(_name: string, event: Event): void {
    if (!this.isOpen) return;
    this.conn.writeBuffer.push(event);
    this.toClient.push(() => {
      this.conn.writeBuffer.shift();
      this.client.receive(event);
      if (this.conn.writeBuffer.length === 0) for (const act of this.drained.splice(0)) act();
    });
  }

  /** A request of the client. */
  ask(handle: () => void): void {
    this.toGateway.push(handle);
  }

  /** An answer: in order with the events. */
  answer(arrive: () => void): void {
    if (this.isOpen) this.toClient.push(arrive);
  }

  join(room: string): void {
    this.rooms.add(room);
  }

  leave(room: string): void {
    this.rooms.delete(room);
  }

  disconnect(): void {
    this.close();
  }

  /** Both ends learn of it, each in its time. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.toClient.cut();
    this.toGateway.cut();
    this.clock.soon(() => this.onClose());
    this.client.disconnected();
  }

  asSocket(): Socket {
    return this as unknown as Socket;
  }
}

/** Rooms, as a gateway broadcasts to them. */
export class SimulatedSockets {
  readonly sockets = new Set<SimulatedSocket>();

  asServer(): Server {
    return {
      to: (room: string) => ({
        emit: (name: string, event: Event) => {
          for (const socket of this.sockets) if (socket.rooms.has(room)) socket.emit(name, event);
        },
      }),
    } as unknown as Server;
  }
}
