import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemTime } from '#time';
import { oauthFetch } from './oauth-fetch.js';

const { clock } = systemTime();
const REMOTE = 'https://notes.example.com/mcp';

let server: Server;
let url: string;
let answer: { status: number; type?: string; text: string };
beforeAll(async () => {
  server = createServer((_, response) => {
    const { status, type = 'application/json', text } = answer;
    response.writeHead(status, { 'content-type': type, 'www-authenticate': 'Bearer scope="a"' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const ask = () => oauthFetch(url, clock)(url);

describe('a request about access', () => {
  it.each([
    ['{"error":"invalid_grant","error_description":"you sent refresh_token=s3cret"}', 'invalid_grant'],
    ['{"error":"you sent refresh_token=s3cret"}', undefined],
    ['you sent refresh_token=s3cret', undefined],
    ['null', undefined],
  ])('passes on of the error %j the code only: %s', async (text, error) => {
    answer = { status: 400, text };
    const response = await ask();
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([400, 'Bearer scope="a"']);
    expect(await response.text()).toBe(error === undefined ? '' : JSON.stringify({ error }));
  });

  it.each(['application/json', 'text/event-stream'])('reads no long answer of type %s', async (type) => {
    answer = { status: 200, type, text: 'data: x\n\n'.repeat(10_000) };
    await expect(ask().then((response) => response.text())).rejects.toThrow('over the limit');
    answer = { status: 200, type, text: '{"a":1}' };
    expect(await (await ask()).json()).toEqual({ a: 1 });
  });

  it.each([
    ['http://192.0.2.2/register', url],
    ['http://localhost:1/register', REMOTE],
    ['https://127.0.0.1:1/register', REMOTE],
    ['ftp://id.example.com/', REMOTE],
  ])('is not sent to %s', async (address, serverUrl = url) => {
    await expect(oauthFetch(serverUrl, clock)(address)).rejects.toThrow('must not be asked');
  });
});
