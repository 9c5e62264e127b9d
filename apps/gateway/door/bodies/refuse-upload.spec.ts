import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { waitFor } from '../../../../test/services/wait-for.js';
import { allowEarlyAnswer } from './refuse-upload.js';

const MIB = 1024 * 1024;
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

/** Sends a body of 40 MiB; answers the request at the server. */
async function upload(): Promise<{ client: Socket; request: IncomingMessage; response: ServerResponse }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  ends.push(() => (client.destroy(), server.close()));
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${40 * MIB}\r\n\r\n`);
  client.write(Buffer.alloc(40 * MIB));
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { client, request, response };
}

it.each([
  ['at once', () => Promise.resolve()],
  [
    'when the kept bytes have arrived',
    async (request: IncomingMessage) => {
      await waitFor(() => request.readableLength >= request.readableHighWaterMark, { what: 'a full buffer' });
    },
  ],
])('reads almost nothing of a body that is refused %s, and closes the connection', async (_when, until) => {
  const { client, request, response } = await upload();
  let answer = '';
  client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await until(request);
  const { socket } = request;
  allowEarlyAnswer(new SystemClock(), request, response);
  response.writeHead(429).end('no');
  await once(socket, 'close');
  expect(socket.bytesRead).toBeLessThan(MIB);
  expect(answer).toMatch(/^HTTP\/1.1 429 /);
});
