import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { StoreUnavailableError } from '#store';
import { inTime, waitFor } from '../../services/wait-for.js';
import {
  JWT_SECRET,
  signTestToken,
  startHarness,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';

let harness: Harness;
afterEach(() => harness.stop());

/** A store that fails at one method. */
const failing =
  (name: string, error: Error): HarnessOptions['alter'] =>
  ({ store }) => ({
    store: new Proxy(store, {
      get: (target, key) => {
        if (key === name) return () => Promise.reject(error);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    }),
  });

let asked = 0;
const ask = (path: string, init: RequestInit = {}) => {
  asked++;
  return fetch(`${harness.url}${path}`, init);
};
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const lines = () => harness.log.map((line) => JSON.parse(line) as Record<string, unknown>);

/** Requests that are refused at every place where one can be, by their status. */
const REFUSALS: [number, string, RequestInit, string][] = [
  [400, '/api/conversations/unknown/turns', { method: 'POST', body: '{"content":' }, 'invalid'],
  [401, '/api/tools', { headers: { authorization: 'Bearer nonsense' } }, 'unauthorized'],
  [403, '/api/admin/dead-letters', {}, 'forbidden'],
  [404, '/api/conversations/unknown', {}, 'not_found'],
  [404, '/nothing', {}, 'not_found'],
  [
    413,
    '/api/conversations',
    { method: 'POST', body: `{"title":"${'x'.repeat(1_100_000)}"}` },
    'content_too_long',
  ],
  [
    415,
    '/api/conversations',
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
    'invalid',
  ],
  [422, '/api/conversations?limit=ten', {}, 'invalid'],
  [500, '/api/conversations', {}, 'internal'],
];

describe('every refusal over HTTP', () => {
  it.each(REFUSALS)(
    'with %i for %s is a problem document with its id, and the security headers of an answer',
    async (...row) => {
      const [status, path, init, code] = row;
      const origin = 'https://chat.example';
      harness = await startHarness({
        config: { auth: { kind: 'jwt', secret: JWT_SECRET }, corsOrigins: [origin] },
        alter: failing('listConversations', new Error('boom in /srv/secret/place.ts')),
      });
      const token = await signTestToken('ann');
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...init.headers,
      };
      const response = await ask(path, {
        ...init,
        headers: { ...headers, origin, 'x-request-id': 'my-own.1' },
      });
      const text = await response.text();
      expect([response.status, JSON.parse(text)]).toEqual([
        status,
        { type: 'about:blank', title: expect.any(String), status, detail: expect.any(String), code },
      ]);
      const sent = Object.fromEntries(response.headers);
      expect(sent).toMatchObject({
        'content-type': expect.stringContaining('application/problem+json'),
        'x-request-id': 'my-own.1',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
      });
      expect(sent['x-powered-by']).toBeUndefined();
      expect(text).not.toMatch(/boom|\.ts|node_modules| {4}at /);
    },
  );

  it('of a foreign origin has an id, and its page gets no details', async () => {
    harness = await startHarness();
    const foreign = await ask('/api/tools', { headers: { origin: 'https://evil.example' } });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(foreign.headers.get('x-request-id')).toMatch(UUID);
  });
});

describe('a path in upper case', () => {
  const json = { 'content-type': 'application/json' };

  it.each([
    ['/API/CHAT-ARTIFACTS', { error: expect.any(String) }],
    ['/API/chat', { error: expect.any(String) }],
    ['/CHAT', { detail: expect.any(String) }],
    ['/V1/Chat/Completions', { error: expect.objectContaining({ type: 'invalid_request_error' }) }],
    ['/AG-UI', { type: 'RUN_ERROR', message: expect.any(String), code: 'invalid' }],
    ['/API/Conversations', expect.objectContaining({ code: 'invalid', status: 422 })],
  ])('%s is the same path, also to the code that refuses a request', async (path, refusal) => {
    harness = await startHarness();
    const answers = await Promise.all(
      [path, path.toLowerCase()].map((each) => ask(each, { method: 'POST', headers: json, body: '{' })),
    );
    const [capitals, small] = await Promise.all(
      answers.map(async (answer) => [
        answer.status,
        answer.headers.get('cache-control'),
        await answer.json(),
      ]),
    );
    expect(capitals).toEqual(small);
    expect(capitals![2]).toEqual(refusal);
  });

  it('accepts a body as large as in lower case', async () => {
    harness = await startHarness();
    const body = JSON.stringify({
      message: ' ',
      history: [{ role: 'user', content: 'x'.repeat(2_000_000) }],
    });
    const answer = await ask('/API/Chat', { method: 'POST', headers: json, body });
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.any(String) }]);
  });

  it('accepts a form where one is accepted', async () => {
    harness = await startHarness({ config: { auth: { kind: 'local', secret: JWT_SECRET } } });
    const body = new URLSearchParams({ username: 'nobody', password: 'of this name' });
    expect((await ask('/API/Auth/Token', { method: 'POST', body })).status).toBe(401);
  });
});

describe('the id of a request', () => {
  it('is the caller’s if it is valid, else a generated one, and never repeats', async () => {
    harness = await startHarness();
    const idFor = async (given?: string) => {
      const response = await ask(
        '/api/tools',
        given === undefined ? {} : { headers: { 'x-request-id': given } },
      );
      return response.headers.get('x-request-id');
    };
    for (const sane of ['a', '0123:AZ_az.-', 'x'.repeat(128)]) expect(await idFor(sane)).toBe(sane);
    const ours = [
      await idFor(),
      await idFor('x'.repeat(129)),
      await idFor('a b'),
      await idFor('<b>'),
      await idFor(''),
    ];
    for (const id of ours) expect(id).toMatch(UUID);
    expect(new Set(ours).size).toBe(ours.length);
  });

  it('is in the log line of each answer and of a failure, with the path but not its query', async () => {
    harness = await startHarness({
      logLevel: 'debug',
      alter: failing('listConversations', new StoreUnavailableError('away')),
    });
    await ask('/api/tools?q=secret-of-mine', { headers: { 'x-request-id': 'one' } });
    await ask('/api/conversations', { headers: { 'x-request-id': 'two' } });
    const of = (id: string) => lines().filter(({ request_id }) => request_id === id);
    await waitFor(() => of('one').length === 1 && of('two').length === 2, { what: 'the lines' });
    expect(of('one')[0]).toMatchObject({ method: 'GET', path: '/api/tools', status: 200, level: 'debug' });
    expect(of('two')).toMatchObject([
      { level: 'warn', method: 'GET', path: '/api/conversations', err: { message: 'away' } },
      { level: 'debug', status: 503 },
    ]);
    expect(harness.log.join()).not.toContain('secret-of-mine');
  });
});

describe('an accepted message', () => {
  it('has a log line from the request, or the client’s own id, to its turn', async () => {
    harness = await startHarness({ logLevel: 'info' });
    const headers = { 'content-type': 'application/json', 'x-request-id': 'from-the-proxy' };
    const post = (path: string, body: object) =>
      ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const { id } = (await (await post('/api/conversations', {})).json()) as { id: string };
    const message = { content: 'hello, secret-of-mine', client_message_id: 'm-1' };
    const sent = await post(`/api/conversations/${id}/turns`, message);
    const { turn_id } = (await sent.json()) as { turn_id: string };
    await post(`/api/conversations/${id}/turns`, message);
    const client = await harness.connect();
    const second = await client.send('hello', { client_message_id: 'm-2' });
    const messages = [{ role: 'user', content: 'hello' }];
    const other = await post('/v1/chat/completions', { model: 'switchyard', messages, stream: true });
    await other.body!.cancel();
    const accepted = () => lines().filter(({ msg }) => String(msg).startsWith('message accepted'));
    await waitFor(() => accepted().length === 4, { what: 'the lines' });
    const common = { level: 'info', user_id: 'local' };
    const first = { ...common, turn_id, conversation_id: id, client_message_id: 'm-1' };
    expect(accepted()).toMatchObject([
      { ...first, request_id: 'from-the-proxy', msg: 'message accepted' },
      { ...first, request_id: 'from-the-proxy', msg: 'message accepted again' },
      { ...common, turn_id: second.turn_id, client_message_id: 'm-2' },
      { ...common, request_id: 'from-the-proxy', turn_id: other.headers.get('x-turn-id') },
    ]);
    expect(accepted()[2]).not.toHaveProperty('request_id');
    expect(harness.log.join()).not.toContain('secret-of-mine');
  });
});

describe('the log, at every level', () => {
  it('contains no token and no password, regardless of their way in and of failures', async () => {
    harness = await startHarness({
      logLevel: 'trace',
      config: { auth: { kind: 'local', secret: JWT_SECRET } },
      alter: ({ store }) => failing('listConversations', new Error('boom'))!({ store } as never),
    });
    asked = 0;
    const password = 'correct horse battery';
    const json = { 'content-type': 'application/json' };
    const account = { email: 'ann@example.org', username: 'ann', password };
    const register = (body: object) =>
      ask('/api/auth/register', { method: 'POST', headers: json, body: JSON.stringify(body) });
    await register(account);
    await register(account);
    await register({ ...account, email: 7 });
    const form = (pass: string) => ({
      method: 'POST',
      body: new URLSearchParams({ username: 'ann', password: pass }),
    });
    const { access_token: good } = (await (await ask('/api/auth/token', form(password))).json()) as {
      access_token: string;
    };
    await ask('/api/auth/token', form(`${password} wrong`));
    const bad = `${good.slice(0, -6)}AAAAAA`;
    const opaque = 'an-opaque-token-0123456789';
    await ask('/api/tools', { headers: { 'x-request-id': good } });
    const tokens = [good, bad, opaque, await signTestToken('ann', { expiresAt: 1_000 })];
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      for (const path of [
        '/api/conversations',
        `/api/tools?token=${token}`,
        `/nothing?access_token=${token}`,
      ])
        await ask(path, { headers });
      await ask(`/api/conversations?token=${token}`);
      await ask('/api/conversations', {
        method: 'POST',
        headers: { ...headers, ...json },
        body: `{"token":"${token}`,
      });
      await ask('/api/conversations', {
        headers: { ...headers, cookie: `token=${token}` },
      });
      for (const options of [{ token }, { headers }, { query: token }]) {
        const client = await harness.connect(options).catch(() => undefined);
        await client?.request('message', { content: '', token });
      }
    }
    const written = () => harness.log.join('');
    const answered = () => lines().filter(({ msg }) => msg === 'request answered').length;
    await waitFor(() => answered() === asked, { what: 'the lines of the answers' });
    expect(lines().filter(({ msg }) => msg === 'request failed').length).toBeGreaterThan(0);
    for (const token of tokens) {
      const [, payload = token, signature = token] = token.split('.');
      for (const part of [token, payload, signature])
        expect([part, written().includes(part)]).toEqual([part, false]);
    }
    expect(decodeJwt(good)).toHaveProperty('sub');
    for (const secret of [password, 'scrypt$', JWT_SECRET]) expect(written()).not.toContain(secret);
  });
});

it.each(['/api/chat', '/api/chat-artifacts', '/v1/chat/completions', '/ag-ui'])(
  'a large body for %s is not read without authentication',
  async (path) => {
    harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    for (const size of [{ 'Content-Length': 2_000_000 }, { 'Transfer-Encoding': 'chunked' }]) {
      const headers = { 'Content-Type': 'application/json', ...size };
      const sent = request(harness.url + path, { method: 'POST', headers });
      // It never comes: who waits for it gives no answer.
      sent.flushHeaders();
      const answered = inTime(once(sent, 'response'), { what: 'an answer without the body' });
      const [response] = (await answered) as [IncomingMessage];
      expect(response.statusCode).toBe(401);
      sent.destroy();
    }
  },
);
