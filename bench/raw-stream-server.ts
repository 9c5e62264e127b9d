import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';

/*
 * Streams of bytes without anything behind them: what node:http and ws can do. Told over IPC: { turns, tokens, bytes }
 * waits until so many have connected, answers `playing`, and writes to all of them side by side.
 */

interface Told {
  turns: number;
  tokens: number;
  bytes: number;
}

const responses: ServerResponse[] = [];
const sockets: WebSocket[] = [];
const server = createServer((request, response) => {
  request.resume();
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  responses.push(response);
});
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => sockets.push(socket));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(server.address());
process.on('disconnect', () => process.exit());
process.on('message', (told: Told) => void play(told));

async function play({ turns, tokens, bytes }: Told): Promise<void> {
  while (responses.length + sockets.length < turns) await nextTurn();
  process.send?.('playing');
  const chunk = 'x'.repeat(Math.round(bytes / tokens));
  await Promise.all([
    ...responses.splice(0).map((response) => writeAll(response, chunk, tokens)),
    ...sockets.splice(0).map((socket) => sendAll(socket, chunk, tokens)),
  ]);
}

async function writeAll(response: ServerResponse, chunk: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (!response.write(chunk)) await once(response, 'drain');
    await nextTurn();
  }
  response.end();
}

async function sendAll(socket: WebSocket, chunk: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    socket.send(chunk);
    do await nextTurn();
    while (socket.bufferedAmount > 0);
  }
  socket.close();
}
