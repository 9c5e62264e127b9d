import { once } from 'node:events';
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMessage } from '#contracts';
import { systemTime } from '#time';
import { nextMillisecond } from '../../services/next-millisecond.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { Client, GATEWAY_ID, startHarness, type Harness } from './gateway-harness.js';
import { addCall, PlayedTurn } from './played-turn.js';
import { RawClient } from './raw-client.js';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Unlike `fetch`, it sends any header. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  return askAt(harness.url, method, path, headers, body);
}

function askAt(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const send = (method: string, path: string, body: unknown) =>
  ask(method, path, JSON_TYPE, JSON.stringify(body));

async function create(body: object = {}): Promise<{ id: string; title: string; updated_at: string }> {
  return JSON.parse((await send('POST', '/api/conversations', body)).body) as never;
}

function expectProblem(reply: Reply, status: number, code: string): void {
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(reply.status).toBe(status);
  const problem = JSON.parse(reply.body) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, code, detail: expect.any(String), title: expect.any(String) });
  expect(reply.body).not.toMatch(/\.[jt]s:|node_modules|at .*\(/);
}

describe('conversations over HTTP', () => {
  it('are created, read, renamed, listed newest first, and deleted', async () => {
    const made = await send('POST', '/api/conversations', { title: 'First' });
    expect(made.status).toBe(201);
    const first = JSON.parse(made.body) as { id: string };
    expect(first).toMatchObject({ title: 'First', user_id: 'local', policy: 'enqueue' });
    const second = await create();
    expect(second.title).toBe('New Conversation');
    await nextMillisecond(second.updated_at);
    const renamed = await send('PATCH', `/api/conversations/${first.id}`, {
      title: 'Renamed',
      policy: 'reject',
    });
    expect(JSON.parse(renamed.body)).toMatchObject({ title: 'Renamed', policy: 'reject' });
    for (const title of [null, '', '  '])
      expect(
        JSON.parse((await send('PATCH', `/api/conversations/${first.id}`, { title })).body),
      ).toMatchObject({
        title: 'Renamed',
      });
    const list = JSON.parse((await ask('GET', '/api/conversations')).body) as { id: string }[];
    expect(list[0]?.id).toBe(first.id);
    const removed = await ask('DELETE', `/api/conversations/${first.id}`);
    expect([removed.status, removed.body]).toEqual([204, '']);
    expectProblem(await ask('GET', `/api/conversations/${first.id}`), 404, 'not_found');
    expectProblem(await ask('DELETE', `/api/conversations/${first.id}`), 404, 'not_found');
  });

  it('keep the choice of tools for their turns until it is changed', async () => {
    const tools = { allow: ['math'], block: ['math.multiply'] };
    const made = JSON.parse((await send('POST', '/api/conversations', { tools })).body) as { id: string };
    const path = `/api/conversations/${made.id}`;
    expect(made).toMatchObject({ tools });
    await send('PATCH', path, { title: 'Sums' });
    expect(JSON.parse((await ask('GET', path)).body)).toMatchObject({ title: 'Sums', tools });
    expect((await harness.store.getConversation(made.id))?.tools).toEqual(tools);
    await send('PATCH', path, { tools: {} });
    expect(JSON.parse((await ask('GET', path)).body)).toMatchObject({ title: 'Sums', tools: {} });
    for (const wrong of [{ tools: { blocked: ['math'] } }, { tools: { block: 'math' } }, { tools: null }])
      expectProblem(await send('PATCH', path, wrong), 422, 'invalid');
  });

  it('keep the model of their turns until another one or none is chosen', async () => {
    const model = 'anthropic/claude-opus-5-5';
    const made = JSON.parse((await send('POST', '/api/conversations', { model })).body) as { id: string };
    const path = `/api/conversations/${made.id}`;
    expect(made).toMatchObject({ model });
    await send('PATCH', path, { title: 'Sums' });
    expect(JSON.parse((await ask('GET', path)).body)).toMatchObject({ title: 'Sums', model });
    expect((await harness.store.getConversation(made.id))?.model).toBe(model);
    expect(JSON.parse((await send('PATCH', path, { model: 'demo' })).body)).toMatchObject({ model: 'demo' });
    const none = await send('PATCH', path, { model: null });
    expect(JSON.parse(none.body)).not.toHaveProperty('model');
    expect(JSON.parse((await ask('GET', path)).body)).not.toHaveProperty('model');
    for (const wrong of ['', 'gpt', 'anthropic/', 'Anthropic/x', 'a/b c', `a/${'x'.repeat(200)}`, 5])
      expectProblem(await send('PATCH', path, { model: wrong }), 422, 'invalid');
  });

  it('stop their turns when they are deleted', async () => {
    const client = await harness.connect();
    const { conversation_id, turn_id } = await client.send('hello');
    await ask('DELETE', `/api/conversations/${conversation_id}`);
    expect((await harness.store.readJournal(turn_id))?.steps.at(-1)?.kind).toBe('cancel');
    expect((await client.request('join', { conversation_id })).error?.code).toBe('not_found');
    expect((await client.request('message', { conversation_id, content: 'x' })).error?.code).toBe(
      'not_found',
    );
    expect((await client.request('stop', { turn_id })).error?.code).toBe('not_found');
  });

  it('accept a turn with 202, the same one for a resend', async () => {
    const { id } = await create();
    const body = { content: 'hello', client_message_id: 'm1' };
    const taken = await send('POST', `/api/conversations/${id}/turns`, body);
    expect(taken.status).toBe(202);
    expect((await send('POST', `/api/conversations/${id}/turns`, body)).body).toBe(taken.body);
    const { turn_id } = JSON.parse(taken.body) as { turn_id: string };
    const page = JSON.parse((await ask('GET', `/api/conversations/${id}/turns`)).body);
    expect(page).toMatchObject({
      earlier: false,
      turns: [{ turn_id, number: 1, content: 'hello', status: 'queued' }],
    });
    const stopped = await ask('POST', `/api/turns/${turn_id}/stop`);
    expect([stopped.status, stopped.body]).toEqual([200, '{"may_be_running":[]}']);
  });

  it('show earlier turns page by page', async () => {
    const { id } = await create();
    for (let i = 1; i <= 5; i++) await send('POST', `/api/conversations/${id}/turns`, { content: `m${i}` });
    const page = JSON.parse((await ask('GET', `/api/conversations/${id}/turns?before=5&limit=2`)).body) as {
      turns: { number: number }[];
      earlier: boolean;
    };
    expect([page.turns.map((turn) => turn.number), page.earlier]).toEqual([[3, 4], true]);
    const oldest = JSON.parse((await ask('GET', `/api/conversations/${id}/turns?before=3`)).body);
    expect(oldest).toMatchObject({ earlier: false, turns: [{ number: 1 }, { number: 2 }] });
  });

  it('list what people read: messages and texts, and tools on request', async () => {
    const { id } = await create();
    const taken = await send('POST', `/api/conversations/${id}/turns`, { content: '1 + 2?' });
    const { turn_id } = JSON.parse(taken.body) as { turn_id: string };
    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('M');
    await played.start();
    await played.commit(1, '  ', [call]);
    await played.settle(call, 1, 'x'.repeat(5_000));
    await played.commit(2, 'It is 3.');
    const list = async (query: string) =>
      JSON.parse((await ask('GET', `/api/conversations/${id}/messages${query}`)).body) as object[];
    expect(await list('')).toMatchObject([
      { id: turn_id, role: 'user', content: '1 + 2?', conversation_id: id },
      { id: `${turn_id}:2`, role: 'assistant', content: 'It is 3.' },
    ]);
    expect(await list('?include=tools')).toMatchObject([
      { role: 'user' },
      { role: 'tool', id: call.tool_call_id },
      { role: 'assistant' },
    ]);
    expect(await list('?skip=1&limit=1')).toMatchObject([{ content: 'It is 3.' }]);
    const uncut = JSON.parse(
      (await ask('GET', `/api/turns/${turn_id}/calls/${call.tool_call_id}`)).body,
    ) as object;
    expect(uncut).toMatchObject({ state: 'succeeded', args: { a: 1, b: 2 }, result: 'x'.repeat(5_000) });
    expect(uncut).not.toHaveProperty('truncated');
    expectProblem(await ask('GET', `/api/turns/${turn_id}/calls/call_unknown`), 404, 'not_found');
  });

  it('page back over many turns', async () => {
    const { id } = await create();
    for (let i = 1; i <= 120; i++) {
      const taken = await send('POST', `/api/conversations/${id}/turns`, { content: `m${i}` });
      const { turn_id } = JSON.parse(taken.body) as { turn_id: string };
      await (await PlayedTurn.take(harness, turn_id)).commit(1, `a${i}`);
      await harness.store.setTurnStatus(turn_id, 'completed');
    }
    const page = JSON.parse((await ask('GET', `/api/conversations/${id}/messages?skip=99&limit=4`)).body) as {
      content: string;
    }[];
    expect(page.map((message) => message.content)).toEqual(['a50', 'm51', 'a51', 'm52']);
    const reads: number[] = [];
    const { listTurns } = harness.store;
    harness.store.listTurns = (conversationId, range) => {
      reads.push('after' in range ? range.after : -1);
      return listTurns.call(harness.store, conversationId, range);
    };
    const later = await ask('GET', `/api/conversations/${id}/messages?after=99&skip=1&limit=3`);
    harness.store.listTurns = listTurns;
    expect(JSON.parse(later.body)).toMatchObject([
      { content: 'a100', turn_number: 100 },
      { content: 'm101', turn_number: 101 },
      { content: 'a101', turn_number: 101 },
    ]);
    expect(reads).toEqual([99]);
    expectProblem(await ask('GET', `/api/conversations/${id}/messages?skip=100001`), 422, 'invalid');
  });
});

describe('tools over HTTP', () => {
  it('are those that the workers announce, with readable parameters', async () => {
    const tool = {
      name: 'math.add',
      own_name: 'add',
      description: 'Adds.',
      input_schema: {
        type: 'object',
        properties: { a: { type: 'integer', description: 'first' }, b: { type: ['null', 'number'] }, c: {} },
        required: ['a'],
      },
      output_schema: { type: 'object', properties: { sum: { type: 'number' } } },
      class: 'read' as const,
      timeout_ms: 1_000,
      hash: 'h1',
    };
    const toolset = {
      name: 'math',
      source: 'local' as const,
      server: 'math',
      version: '1.0.0',
      tools: [tool],
    };
    const worker = 'worker-00000000-0000-4000-8000-000000000003';
    await harness.driver.send(
      'gateway.all',
      newMessage(systemTime(), 'catalog.announce', { worker, toolsets: [toolset] }),
    );
    const list = async () => (JSON.parse((await ask('GET', '/api/tools')).body) as { tools: object[] }).tools;
    await waitFor(async () => (await list()).length === 1, { what: 'the tool' });
    expect(await list()).toEqual([
      {
        name: 'add',
        description: 'Adds.',
        source: 'local',
        parameters: [
          { name: 'a', type: 'integer', description: 'first', required: true },
          { name: 'b', type: 'number', required: false },
          { name: 'c', type: 'any', required: false },
        ],
        toolset: 'math',
        qualified_name: 'math.add',
        class: 'read',
        version: '1.0.0',
        input_schema: tool.input_schema,
        output_schema: tool.output_schema,
      },
    ]);
    await harness.driver.send(
      GATEWAY_ID.replace('-', '.'),
      newMessage(systemTime(), 'catalog.withdraw', { worker }),
    );
    await waitFor(async () => (await list()).length === 0, { what: 'the withdrawal' });
  });
});

describe('invalid HTTP requests', () => {
  const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);

  it.each([
    ['POST', '/api/conversations', '{"title":', 422],
    ['POST', '/api/conversations/', '{"title":', 422],
    ['POST', '/api/conversations', '"text"', 422],
    ['POST', '/api/conversations', 'null', 422],
    ['PATCH', '/api/conversations/unknown', '{"title":', 422],
    ['POST', '/api/auth/register', '{', 422],
    ['POST', '/api/auth/token', '{', 422],
    ['POST', '/api/conversations/unknown/turns', '{"content":', 400],
    ['POST', '/mcp', '{', 400],
    ['POST', '/api/conversations', '[]', 422],
    ['POST', '/api/conversations', '{"title":7}', 422],
    ['POST', '/api/conversations', `{"title":"${'x'.repeat(201)}"}`, 422],
    ['POST', '/api/conversations', '{"policy":"fastest"}', 422],
    ['POST', '/api/conversations', deep, 422],
    ['POST', '/api/conversations', `{"title":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['GET', '/api/conversations?limit=0', undefined, 422],
    ['GET', '/api/conversations?limit=101', undefined, 422],
    ['GET', '/api/conversations?limit=ten', undefined, 422],
    ['GET', '/api/conversations?skip=-1', undefined, 422],
    ['GET', '/api/conversations?limit=1&limit=2', undefined, 422],
    ['GET', '/api/conversations/unknown', undefined, 404],
    ['GET', '/api/conversations/a.b', undefined, 404],
    ['GET', '/api/conversations/%00', undefined, 404],
    ['GET', `/api/conversations/${'x'.repeat(500)}`, undefined, 404],
    ['GET', '/api/conversations/%7B%22%24gt%22%3A%22%22%7D', undefined, 404],
    ['GET', '/api/conversations/unknown/messages', undefined, 404],
    ['POST', '/api/conversations/unknown/turns', '{"content":"x"}', 404],
    ['POST', '/api/turns/unknown/stop', undefined, 404],
    ['GET', '/api/nothing', undefined, 404],
    ['POST', '/nothing', undefined, 404],
    ['PUT', '/api/conversations', '{}', 404],
  ])('%s %s with %.40s is answered %i', async (method, path, body, status) => {
    const reply = await ask(method, path, body === undefined ? {} : JSON_TYPE, body);
    const code = { 400: 'invalid', 404: 'not_found', 413: 'content_too_long', 422: 'invalid' }[status]!;
    expectProblem(reply, status, code);
  });

  it('an unknown path is not reported as an invalid id', async () => {
    const { body } = await ask('GET', '/api/nothing');
    expect(JSON.parse(body)).toMatchObject({ detail: 'There is nothing at this address.' });
  });

  it('a broken path is refused', async () => {
    const reply = await ask('GET', '/api/conversations/%E0%A4%A');
    expect([400, 404]).toContain(reply.status);
    expectProblem(reply, reply.status, reply.status === 400 ? 'invalid' : 'not_found');
  });

  it.each([
    ['{}', 'invalid'],
    ['{"content":" "}', 'invalid'],
    ['{"content":{"$gt":""}}', 'invalid'],
    [`{"content":"${'x'.repeat(65_537)}"}`, 'content_too_long'],
    [`{"content":"x","options":${deep}}`, 'invalid'],
  ])('a turn of %.60s is refused as %s', async (body, code) => {
    const { id } = await create();
    const reply = await ask('POST', `/api/conversations/${id}/turns`, JSON_TYPE, body);
    expectProblem(reply, code === 'invalid' ? 422 : 413, code);
  });

  it('a body that is not JSON is refused', async () => {
    const { id } = await create();
    const reply = await ask(
      'POST',
      `/api/conversations/${id}/turns`,
      { 'content-type': 'text/plain' },
      '{"content":"x"}',
    );
    expectProblem(reply, 415, 'invalid');
  });
});

describe('pages of other origins over HTTP', () => {
  const own = () => new URL(harness.url).host;

  it.each([
    ['GET', { host: 'evil.example' }, 403],
    ['GET', { host: 'localhost.evil.example' }, 403],
    ['GET', { host: '127.0.0.1.evil.example:3000' }, 403],
    ['GET', { host: 'user@localhost' }, 403],
    ['GET', { host: '127.0.0.2' }, 403],
    ['GET', { host: '0.0.0.0:3000' }, 403],
    ['GET', { host: 'localhost' }, 200],
    ['GET', { host: 'LOCALHOST:3000' }, 200],
    ['GET', { host: '127.0.0.1:1' }, 200],
    ['GET', { host: '[::1]:3000' }, 200],
    ['GET', { origin: 'https://evil.example' }, 403],
    ['GET', { origin: 'null' }, 403],
    ['GET', { origin: 'http://localhost:5173' }, 403],
    ['POST', { origin: 'https://evil.example' }, 403],
    ['OPTIONS', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }, 403],
    ['DELETE', { origin: 'https://evil.example' }, 403],
    ['POST', { 'sec-fetch-site': 'cross-site' }, 403],
    ['PATCH', { 'sec-fetch-site': 'cross-site' }, 403],
    ['GET', { 'sec-fetch-site': 'cross-site' }, 200],
    ['POST', { 'sec-fetch-site': 'same-origin' }, 201],
    ['POST', {}, 201],
  ])('%s with %j is answered %i', async (method, headers, status) => {
    const reply = await ask(method, '/api/conversations', headers);
    if (status === 403) expectProblem(reply, 403, 'forbidden');
    expect(reply.status).toBe(status);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are refused for every path, including the page and the health of the process', async () => {
    for (const path of ['/', '/api/tools', '/health/live', '/metrics', '/nothing'])
      expect((await ask('GET', path, { host: 'evil.example' })).status).toBe(403);
  });

  it('do not include the own origin, which may write', async () => {
    const origin = `http://${own()}`;
    expect((await ask('POST', '/api/conversations', { origin })).status).toBe(201);
    expect(
      (await ask('POST', '/api/conversations', { origin: origin.replace('http:', 'https:') })).status,
    ).toBe(201);
  });

  it.each([
    [{ host: 'evil.example' }, false],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{}, true],
    [{ origin: 'same' }, true],
  ])('upgrading with %j are admitted: %s', async (headers, isLetIn) => {
    const origin = 'origin' in headers && headers.origin === 'same' ? { origin: `http://${own()}` } : headers;
    const raw = RawClient.open(harness.url, origin);
    await waitFor(() => raw.isClosed || raw.frames.length > 0, { what: 'an answer' });
    expect(raw.frames.length > 0).toBe(isLetIn);
    raw.socket.terminate();
  });

  it('get 403 when they try to upgrade', async () => {
    const reply = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = httpRequest(`${harness.url}/socket.io/?EIO=4&transport=websocket`, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          origin: 'https://evil.example',
        },
      });
      outgoing.on('response', (response) => resolve(response.statusCode));
      outgoing.on('upgrade', () => resolve(101));
      outgoing.on('error', reject);
      outgoing.end();
    });
    expect(reply).toBe(403);
  });

  it('that are allowed get CORS headers, on errors too', async () => {
    const friendly = await startHarness({
      config: { corsOrigins: ['https://chat.example'], allowedHosts: ['chat.internal'] },
    });
    try {
      const at = (method: string, path: string, headers: Record<string, string>) =>
        askAt(friendly.url, method, path, headers);
      const origin = 'https://chat.example';
      const preflight = await at('OPTIONS', '/api/conversations/x', {
        origin,
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization,content-type',
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      });
      const missing = await at('GET', '/api/conversations/x', { origin, 'sec-fetch-site': 'cross-site' });
      expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, origin]);
      expect(
        (await at('POST', '/api/conversations', { origin, 'sec-fetch-site': 'cross-site' })).status,
      ).toBe(201);
      expect((await at('GET', '/api/tools', { host: 'chat.internal:8080' })).status).toBe(200);
      expect((await at('GET', '/api/tools', { host: 'other.internal' })).status).toBe(403);
    } finally {
      await friendly.stop();
    }
  });
});

describe('the bundled page', () => {
  it('explains how to build it when it has not been built', async () => {
    const reply = await ask('GET', '/');
    expect(reply.status).toBe(503);
    expect(reply.body).toContain('npm run build');
  });

  it('is served with a strict policy; routes take precedence and no file outside its folder is served', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'page-'));
    const pageDir = join(outside, 'web');
    mkdirSync(join(pageDir, 'assets'), { recursive: true });
    mkdirSync(join(pageDir, 'api'));
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    writeFileSync(join(pageDir, '.hidden'), 'secret');
    writeFileSync(join(pageDir, 'index.html'), '<title>page</title>');
    writeFileSync(join(pageDir, 'assets', 'app-1a2b.js'), 'let x;');
    writeFileSync(join(pageDir, 'api', 'tools'), 'a file');
    const served = await startHarness({ pageDir });
    try {
      const at = (path: string) => askAt(served.url, 'GET', path, {});
      const index = await at('/');
      expect([index.status, index.body, index.headers['cache-control']]).toEqual([
        200,
        '<title>page</title>',
        'no-cache',
      ]);
      expect(index.headers['content-security-policy']).toContain(
        "default-src 'self';img-src 'self' data: blob:",
      );
      expect(index.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(index.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      });
      expect(index.headers['x-powered-by']).toBeUndefined();
      for (const path of ['/ops', '/ops/'])
        expect(await at(path)).toMatchObject({
          status: 200,
          body: index.body,
          headers: { 'content-security-policy': index.headers['content-security-policy'] },
        });
      const asset = await at('/assets/app-1a2b.js');
      expect(asset.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringContaining('javascript'),
      });
      writeFileSync(join(pageDir, 'assets', 'app-1a2b.js.br'), 'as brotli');
      writeFileSync(join(pageDir, 'assets', 'app-1a2b.js.gz'), 'as gzip');
      for (const [accepted, encoding, body] of [
        ['gzip, deflate, br', 'br', 'as brotli'],
        ['gzip, br;q=0', 'gzip', 'as gzip'],
        ['deflate', undefined, 'let x;'],
      ] as const) {
        const encoded = await askAt(served.url, 'GET', '/assets/app-1a2b.js', {
          'accept-encoding': accepted,
        });
        const { 'content-encoding': found, vary, 'content-type': type } = encoded.headers;
        expect([accepted, found, encoded.body]).toEqual([accepted, encoding, body]);
        expect([vary, type, encoded.headers['cache-control']]).toEqual([
          expect.stringContaining('Accept-Encoding'),
          asset.headers['content-type'],
          asset.headers['cache-control'],
        ]);
      }
      const bare = await askAt(served.url, 'GET', '/', { 'accept-encoding': 'br' });
      expect([bare.headers['content-encoding'], bare.body]).toEqual([undefined, index.body]);
      expect(JSON.parse((await at('/api/tools')).body)).toEqual({ tools: [] });
      for (const path of [
        '/../secret.txt',
        '/%2e%2e/secret.txt',
        '/..%2fsecret.txt',
        '/assets/../../secret.txt',
        '/.hidden',
        '/assets',
        '/none.js',
        '/ops/none',
        '/OPS',
      ]) {
        const reply = await at(path);
        expect([path, reply.status]).toEqual([path, 404]);
        expect(reply.body).not.toContain('secret"');
      }
    } finally {
      await served.stop();
    }
  });
});

it('an idle connection is kept for longer than load balancers keep theirs', async () => {
  const { headers } = await fetch(`${harness.url}/health/ready`);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

describe('a draining gateway', () => {
  it('admits no request, answers running ones, and makes clients reconnect elsewhere', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const ending = await startHarness({
      alter: ({ store }) => ({
        store: new Proxy(store, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name, target);
            if (name === 'countUnendedTurns') return () => held.then(() => 0);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        }),
      }),
    });
    const client = await ending.connect();
    const inHand = client.request('message', { content: 'before the end' });
    await client.request('ping');
    const idle = await ending.connect();
    const reasons: string[] = [];
    for (const each of [client, idle]) each.socket.on('disconnect', (reason) => reasons.push(reason));
    const draining = ending.running.drain(20_000);
    await waitFor(() => !idle.socket.connected, { what: 'the end of who waits for nothing' });
    expect(await client.request('ping')).toEqual({});
    const comer = new Client(ending.url, { reconnects: true });
    let isRefused = false;
    comer.socket.once('connect_error', () => (isRefused = true));
    await waitFor(() => isRefused, { what: 'the refusal of a client that comes now' });
    release();
    expect(await inHand).toHaveProperty('turn_id');
    await inTime(draining, { what: 'the end of the drain' });
    await waitFor(() => !client.socket.connected, { what: 'the disconnect' });
    expect(reasons).toEqual(['transport close', 'transport close']);
    await expect(fetch(`${ending.url}/health/live`)).rejects.toThrow();
    const next = await startHarness({ port: ending.running.port });
    await waitFor(() => comer.socket.connected, { what: 'its way to the next process', timeoutMs: 10_000 });
    comer.close();
    await next.stop();
    await Promise.all([ending.bus.close(), ending.driver.close(), ending.store.close()]);
  });

  it('does not wait for connections without a request', async () => {
    const ending = await startHarness();
    const socket = connect(ending.running.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    // An answer on a later connection: by then the first one has been accepted.
    await (await fetch(`${ending.url}/health/live`)).text();
    await ending.stop();
    await inTime(closed, { what: 'the end of a connection without a request' });
  });
});
