import { io, type Socket } from 'socket.io-client';

/* Viewers in a process of their own. Arguments: port, conversation, how many. Counts tokens until told enough. */

const [port, conversation, count] = process.argv.slice(2) as [string, string, string];
let expected = Infinity;
let received = 0;

const sockets = await Promise.all(Array.from({ length: Number(count) }, () => join()));
process.on('message', ({ expect }: { expect: number }) => {
  expected = expect * sockets.length;
  received = 0;
  process.send?.('counting');
});
process.send?.('joined');

async function join(): Promise<Socket> {
  const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await socket.emitWithAck('join', { conversation_id: conversation });
  socket.on('token', (event: { content: string }) => {
    // A gateway may merge the tokens of a viewer that is behind: characters count, not frames.
    received += event.content.length;
    if (received >= expected) {
      expected = Infinity;
      process.send?.('all');
    }
  });
  return socket;
}
