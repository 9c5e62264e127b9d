import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Attack } from './attack.js';
import { startTarget } from './target.js';

/** Requests whose body never comes must not keep others from being served. */
export const halfSent: Attack = {
  name: 'half-sent',
  says: 'a stranger begins a thousand requests and never sends their bodies',
  async run() {
    const target = await startTarget();
    const token = await target.register('ann');
    const sockets: Socket[] = [];
    try {
      for (let count = 0; count < 1_100; count++) sockets.push(await beginRequest(target.port));
      // By then the process has read what came before.
      for (let count = 0; count < 3; count++) await fetch(`${target.url}/health/live`);
      let refused = 0;
      for (let count = 0; count < 20; count++) {
        const answer = await fetch(`${target.url}/api/conversations`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await answer.arrayBuffer();
        if (answer.status !== 200) refused++;
      }
      return [
        {
          what: 'refused of 20 requests of somebody else',
          figure: refused,
          unit: 'count',
          goal: { atMost: 0 },
        },
      ];
    } finally {
      for (const socket of sockets) socket.destroy();
      await target.stop();
    }
  },
};

async function beginRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    'POST /api/conversations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
  );
  return socket;
}
