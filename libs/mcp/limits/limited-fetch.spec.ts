import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { limitedFetch, MAX_MESSAGE_BYTES } from './limited-fetch.js';

const PIECE = 'x'.repeat(1024 * 1024);
/** Each piece is far below the limit, all together are over it. */
const PIECES = MAX_MESSAGE_BYTES / PIECE.length + 2;

let server: Server | undefined;

afterEach(() => void server?.close());

/** Reads a whole response that the server writes in `PIECES` pieces. */
async function read(contentType: string, piece: string): Promise<number> {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': contentType });
    for (let written = 0; written < PIECES; written++) response.write(piece);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await limitedFetch(`http://127.0.0.1:${port}/`);
  return (await response.arrayBuffer()).byteLength;
}

describe('limitedFetch', () => {
  it.each(['\n', '\r\n'])(
    'bounds each event of a stream, not their sum, with lines that end in %j',
    async (end) => {
      const event = `data: ${PIECE}${end}${end}`;
      expect(await read('text/event-stream', event)).toBe(PIECES * event.length);
    },
  );

  it.each([
    ['text/event-stream', 'an event'],
    ['application/json', 'the body'],
  ])('fails a response of type %s when %s is over the limit', async (contentType) => {
    await expect(read(contentType, PIECE)).rejects.toThrow(`limit of ${MAX_MESSAGE_BYTES} bytes`);
  });
});
