import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { CommandError } from './command-error.js';
import { GatewayApi } from './gateway-api.adapter.js';

let server: Server | undefined;

afterEach(() => void server?.close());

describe('GatewayApi', () => {
  it('reports a gateway that broke off in the middle of its answer', async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('[', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = new GatewayApi(url, undefined, new SystemClock()).get('/api/admin/dead-letters');
    await expect(asked).rejects.toBeInstanceOf(CommandError);
    await expect(asked).rejects.toThrow(`No gateway answers at ${url}`);
  });
});
