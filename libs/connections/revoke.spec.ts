import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemTime } from '#time';
import type { Grant } from './grants.js';
import { revoke } from './revoke.js';

const { clock } = systemTime();

let server: Server;
let endpoint: string;
let answer: { status: number; headers?: Record<string, string> };
let asked: { headers: IncomingMessage['headers']; body: Record<string, string> }[];

beforeEach(async () => {
  asked = [];
  answer = { status: 200 };
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ headers: request.headers, body: Object.fromEntries(new URLSearchParams(body)) });
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const grantOf = (client: Grant['client'], methods?: string[], refresh_token?: string): Grant => ({
  tokens: { access_token: 'access', token_type: 'Bearer', ...(refresh_token && { refresh_token }) },
  client,
  revocation: { endpoint, ...(methods && { methods }) },
});

describe('tokens that are given back to their issuer', () => {
  it('are the refresh token, else the access token', async () => {
    expect(await revoke(grantOf({ client_id: 'us' }, undefined, 'refresh'), clock)).toBe(true);
    expect(await revoke(grantOf({ client_id: 'us' }), clock)).toBe(true);
    expect(asked.map(({ body }) => body)).toEqual([
      { token: 'refresh', token_type_hint: 'refresh_token', client_id: 'us' },
      { token: 'access', token_type_hint: 'access_token', client_id: 'us' },
    ]);
  });

  it.each<[string, Grant['client'], string[] | undefined, boolean]>([
    ['in the header, if the issuer names no method', {} as Grant['client'], undefined, true],
    ['in the header, if it takes both', {} as Grant['client'], ['none', 'client_secret_basic'], true],
    [
      'in the body, if it takes clients with none, too',
      {} as Grant['client'],
      ['none', 'client_secret_post'],
      false,
    ],
    ['in the body, if it takes only that', {} as Grant['client'], ['client_secret_post'], false],
    [
      'as the client is registered',
      { token_endpoint_auth_method: 'client_secret_post' } as unknown as Grant['client'],
      ['client_secret_basic', 'client_secret_post'],
      false,
    ],
  ])('are sent with the secret %s', async (_, more, methods, isInHeader) => {
    const client = { ...more, client_id: 'us:1', client_secret: 's3cret' };
    expect(await revoke(grantOf(client, methods), clock)).toBe(true);
    const [{ headers, body }] = asked as [(typeof asked)[0]];
    const basic = `Basic ${Buffer.from('us%3A1:s3cret').toString('base64')}`;
    expect(headers.authorization).toBe(isInHeader ? basic : undefined);
    expect(body.client_secret).toBe(isInHeader ? undefined : 's3cret');
    expect(body.client_id).toBe(isInHeader ? undefined : 'us:1');
  });

  it('end by themselves when the issuer takes none back, refuses, or is away', async () => {
    const { revocation: _, ...without } = grantOf({ client_id: 'us' });
    expect(await revoke(without, clock)).toBe(false);
    answer = { status: 503 };
    expect(await revoke(grantOf({ client_id: 'us' }), clock)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await revoke(grantOf({ client_id: 'us' }), clock)).toBe(false);
  });

  it('go to nobody else along a redirect', async () => {
    answer = { status: 307, headers: { location: `${endpoint}/elsewhere` } };
    expect(await revoke(grantOf({ client_id: 'us' }), clock)).toBe(false);
    expect(asked).toHaveLength(1);
  });
});
