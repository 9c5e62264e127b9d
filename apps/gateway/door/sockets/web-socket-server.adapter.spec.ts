import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { answerPings } from './web-socket-server.adapter.js';

/** Takes a pong only when it is told to. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly pongs: string[] = [];
  private readonly sent: (() => void)[] = [];
  pong(data: Buffer, _mask: undefined, sent: () => void): void {
    this.pongs.push(data.toString());
    this.sent.push(sent);
  }
  take(): void {
    this.sent.shift()!();
  }
  ping(...payloads: string[]): void {
    for (const payload of payloads) this.emit('ping', Buffer.from(payload));
  }
}

it('WebSocketServer answers each ping of a client that reads, and the first and last of one that does not', () => {
  const socket = new FakeSocket();
  answerPings(socket as unknown as WebSocket);
  socket.ping('a');
  socket.take();
  socket.ping('b');
  socket.take();
  socket.ping('c', 'd', 'e');
  expect(socket.pongs).toEqual(['a', 'b', 'c']);
  socket.take();
  expect(socket.pongs).toEqual(['a', 'b', 'c', 'e']);
  socket.take();
  socket.readyState = 2;
  socket.ping('f');
  expect(socket.pongs).toHaveLength(4);
});
