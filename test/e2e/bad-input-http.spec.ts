import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { exchange, upgrade } from './raw-socket.js';
import { removeFolders, requestJson, startStandalone, writeSettings } from './standalone-process.js';
import { deepArray, deepObject, expectUnharmed } from './unharmed.js';

const ID = 'conv_nobody';
const routes: [method: string, path: string][] = [
  ['GET', '/api/tools'],
  ['GET', '/api/conversations'],
  ['POST', '/api/conversations'],
  ['PATCH', `/api/conversations/${ID}`],
  ['DELETE', `/api/conversations/${ID}`],
  ['POST', `/api/conversations/${ID}/turns`],
  ['POST', '/api/turns/turn_nobody/stop'],
  ['PUT', '/api/conversations'],
  ['OPTIONS', '/api/conversations'],
  ['HEAD', '/api/tools'],
  ['GET', '/'],
  ['GET', '/health/ready'],
];
const json = { 'content-type': 'application/json' };

describe('bad input over HTTP', () => {
  let standalone: SwitchyardProcess;

  beforeAll(async () => {
    const CONFIG = await writeSettings('switchyard.json', { limits: { connections_per_minute: 1_000 } });
    standalone = await startStandalone({ CONFIG, CORS_ORIGINS: 'https://friend.example' });
  }, 60_000);
  afterAll(async () => {
    await standalone.kill('SIGTERM');
    await removeFolders();
  });
  afterEach(() => expectUnharmed(standalone));

  /** Status and text of an answer to a request with these lines of its head. */
  async function send(
    method: string,
    path: string,
    head: Record<string, string>,
    body = '',
  ): Promise<string> {
    const lines = Object.entries({ Host: new URL(standalone.url).host, Connection: 'close', ...head });
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return exchange(standalone.url, `${method} ${path} HTTP/1.1\r\n${text}${length}\r\n${body}`);
  }

  /** The answer is a problem document of this status (of one of these). */
  async function expectProblem(path: string, init: RequestInit, ...statuses: number[]): Promise<void> {
    const { status, headers, body } = await requestJson<Record<string, unknown>>(standalone.url + path, init);
    expect([path, headers.get('content-type')]).toEqual([path, 'application/problem+json; charset=utf-8']);
    expect(statuses).toContain(status);
    expect(body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
    expect(JSON.stringify(body)).not.toMatch(/node_modules|\bat .*:\d+|SyntaxError|Unexpected token/);
  }

  test.each(routes)(
    '%s %s from a foreign origin or under a foreign name is forbidden',
    async (method, path) => {
      const { port } = standalone;
      const foreign: Record<string, string>[] = [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Origin: '' },
        { Origin: `http://localhost.evil.example:${port}` },
        { Origin: `http://127.0.0.1:${port + 1}` },
        { Host: `evil.example:${port}` },
        { Host: '' },
        { Host: `127.0.0.1.evil.example:${port}` },
        { Host: `localhost@evil.example` },
        { Host: 'evil.example', Origin: 'http://evil.example' },
      ];
      for (const head of foreign) {
        const answer = await send(method, path, head);
        expect([head, answer.split('\r\n')[0]]).toEqual([head, 'HTTP/1.1 403 Forbidden']);
        expect(answer).not.toMatch(/access-control-allow-origin/i);
      }
    },
  );

  test('a write from another site is forbidden unless its origin is allowed', async () => {
    const site = { 'Sec-Fetch-Site': 'cross-site', ...json };
    const write = (head: Record<string, string>) =>
      send('POST', '/api/conversations', { ...site, ...head }, '{}');
    expect(await write({})).toContain('403 Forbidden');
    expect(await write({ Origin: 'https://evil.example' })).toContain('403 Forbidden');
    const friend = await write({ Origin: 'https://friend.example' });
    expect(friend).toContain('201 Created');
    expect(friend).toMatch(/access-control-allow-origin: https:\/\/friend\.example/i);
    const form = { 'Sec-Fetch-Site': 'cross-site', 'content-type': 'text/plain' };
    expect(await send('POST', '/api/conversations', form, '{}')).toContain('403 Forbidden');
  });

  test('a socket from a foreign origin or under a foreign name is refused with 403', async () => {
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Host: 'evil.example' },
      { Host: 'evil.example', Origin: 'http://evil.example' },
    ];
    for (const head of foreign) {
      const { head: answer, socket } = await upgrade(standalone.url, head);
      expect([head, answer.split('\r\n')[0]]).toEqual([head, 'HTTP/1.1 403 Forbidden']);
      socket.destroy();
    }
    const known: Record<string, string>[] = [
      {},
      { Origin: standalone.url },
      { Origin: 'https://friend.example' },
    ];
    for (const head of known) {
      const { head: answer, socket } = await upgrade(standalone.url, head);
      expect(answer).toContain('101 Switching Protocols');
      socket.destroy();
    }
  });

  test('a body that cannot be read is refused', async () => {
    const path = '/api/conversations';
    const bodies = ['{', '{"title":', '"text"', '1', 'null', '[]', '\u0000', deepArray, deepObject];
    for (const body of bodies) await expectProblem(path, { method: 'POST', headers: json, body }, 400, 422);
    const title = `{"title":${deepObject}}`;
    await expectProblem(path, { method: 'POST', headers: json, body: title }, 422);
    await expectProblem(path, { method: 'POST', headers: json, body: `{"title":"${'x'.repeat(201)}"}` }, 422);
    await expectProblem(path, { method: 'POST', headers: json, body: `"${'x'.repeat(1024 * 1024)}"` }, 413);
    const latin = { 'content-type': 'application/json; charset=latin1' };
    await expectProblem(path, { method: 'POST', headers: latin, body: '{}' }, 415);
    const zipped = { ...json, 'content-encoding': 'zip' };
    await expectProblem(path, { method: 'POST', headers: zipped, body: '{}' }, 415);
    const broken = { ...json, 'content-encoding': 'gzip' };
    await expectProblem(path, { method: 'POST', headers: broken, body: 'no gzip' }, 400);
  });

  test('a body of another type than JSON is refused as a message', async () => {
    const created = await requestJson<{ id: string }>(`${standalone.url}/api/conversations`, {
      method: 'POST',
    });
    expect(created.status).toBe(201);
    const path = `/api/conversations/${created.body.id}/turns`;
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ];
    for (const type of types) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: '{"content":"x"}' };
      await expectProblem(path, init, 415, 422);
    }
    for (const body of [
      '{}',
      '{"content":1}',
      '{"content":" "}',
      '{"content":{"$ne":""}}',
      '{"__proto__":{"content":"x"}}',
    ])
      await expectProblem(path, { method: 'POST', headers: json, body }, 422);
    const long = JSON.stringify({ content: 'x'.repeat(65_537) });
    await expectProblem(path, { method: 'POST', headers: json, body: long }, 413);
  });

  test('malformed paths and queries are rejected', async () => {
    const junk = [
      '%',
      '%zz',
      '%00',
      '%ff%fe',
      '..%2f..%2fetc%2fpasswd',
      '%7b%22$ne%22:1%7d',
      'x'.repeat(2_000),
      '%20',
      '[]',
    ];
    for (const id of junk) {
      for (const path of [
        `/api/conversations/${id}`,
        `/api/conversations/${id}/turns`,
        `/api/turns/${id}/calls/${id}`,
      ])
        await expectProblem(path, {}, 400, 404);
      await expectProblem(`/api/turns/${id}/stop`, { method: 'POST' }, 400, 404);
    }
    const queries = [
      'limit=0',
      'limit=-1',
      'limit=1e9',
      'limit[$gt]=1',
      'skip=x',
      'limit=1&limit=2',
      'skip=%ff',
      'limit=',
    ];
    for (const query of queries) {
      const { status } = await requestJson(`${standalone.url}/api/conversations?${query}`);
      expect([query, [200, 422].includes(status)]).toEqual([query, true]);
    }
    await expectProblem(`/api/conversations/${ID}/turns?before=0`, {}, 422);
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/nothing',
      '/..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/.env',
    ])
      await expectProblem(path, {}, 400, 404);
  });

  test('bytes that are not HTTP are refused', async () => {
    const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`;
    const garbage = [
      'nonsense\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000',
      'GET / HTTP/9.9\r\n\r\n',
      'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      long,
    ];
    for (const bytes of garbage)
      expect(await exchange(standalone.url, bytes)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    const smuggled =
      'POST /api/conversations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}';
    expect(await exchange(standalone.url, smuggled)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
