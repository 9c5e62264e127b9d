import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { refuseUpgrade } from './refuse-upgrade.js';

const MIB = 1024 * 1024;
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function openBoth(): Promise<{ client: Socket; socket: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  ends.push(() => (client.destroy(), socket.destroy(), server.close()));
  return { client, socket };
}

it('refuse-upgrade closes the connection after its answer', async () => {
  const { client, socket } = await openBoth();
  let answer = '';
  client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  refuseUpgrade(socket, 503, 'Too many.', 1_500);
  await Promise.all([once(client, 'close'), once(socket, 'close')]);
  expect(answer).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n[^]*Retry-After: 2\r\n[^]*Too many\.$/);
});

it('refuse-upgrade closes the connection of a client that reads nothing', async () => {
  const { client, socket } = await openBoth();
  client.pause();
  socket.write(Buffer.alloc(32 * MIB));
  refuseUpgrade(socket, 404, 'There is nothing.');
  await once(socket, 'close');
  expect(socket.writableFinished).toBe(false);
});
