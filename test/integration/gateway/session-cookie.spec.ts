import { afterEach, describe, expect, it } from '@jest/globals';
import { waitSkipping } from '../../services/wait-skipping.js';
import { startHarness, type Client, type Harness, type HarnessOptions } from './gateway-harness.js';

let harness: Harness;
const start = async (config: HarnessOptions['config'] = {}) => {
  harness = await startHarness({ config: { auth: { kind: 'local' }, ...config } });
};
afterEach(() => harness.stop());

const PASSWORD = 'correct horse';
const HTTP = 'switchyard_session';
const HTTPS = `__Host-${HTTP}`;

interface Ask {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
}

async function ask(path: string, { method = 'GET', body, headers = {} }: Ask = {}) {
  const response = await fetch(harness.url + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

const own = () => ({ origin: harness.url });
const register = (username: string) =>
  ask('/api/auth/register', {
    method: 'POST',
    body: { username, email: `${username}@example.org`, password: PASSWORD },
  });
const signIn = (username: string, headers: Record<string, string>, more: object = {}) =>
  ask('/api/auth/session', { method: 'POST', body: { username, password: PASSWORD, ...more }, headers });

/** `name=value` of the cookie that an answer sets. */
function cookieIn({ headers }: { headers: Headers }): string {
  return headers.getSetCookie()[0]!.split(';')[0]!;
}

async function newSession(username = 'ann', more: object = {}): Promise<string> {
  return cookieIn(await signIn(username, own(), more));
}

const connect = (headers: Record<string, string>, token?: string): Promise<Client> =>
  harness.connect({ headers, ...(token !== undefined && { token }) });
const isGone = ({ socket }: Client, withinMs: number) =>
  waitSkipping(harness.clock, () => !socket.connected, { what: 'the disconnect', withinMs });

describe('signing in on the page', () => {
  it('sets a cookie that no script reads, for the browser or for thirty days', async () => {
    await start();
    const { body: ann } = await register('ann');
    const answer = await signIn('ann', own());
    expect(answer).toMatchObject({ status: 200, body: ann });
    const [short] = answer.headers.getSetCookie();
    expect(short).toMatch(new RegExp(`^${HTTP}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax$`));
    const [long] = (await signIn('ann', own(), { stays: true })).headers.getSetCookie();
    expect(long).toMatch(/; Max-Age=2592000; .*HttpOnly; SameSite=Lax$/);
    const tls = { origin: harness.url.replace('http:', 'https:') };
    const [secure] = (await signIn('ann', tls)).headers.getSetCookie();
    expect(secure).toMatch(new RegExp(`^${HTTPS}=[\\w-]{43}; Path=/; HttpOnly; Secure; SameSite=Lax$`));
  });

  it('is refused to other sites and to clients that are no page, and sets no cookie', async () => {
    await start({ corsOrigins: ['https://other.example'] });
    await register('ann');
    const others: Record<string, string>[] = [{}, { origin: 'https://other.example' }, { origin: 'null' }];
    for (const headers of others) {
      const answer = await signIn('ann', headers);
      expect({ headers, status: answer.status }).toEqual({ headers, status: 403 });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const wrong = await signIn('ann', own(), { password: 'wrong' });
    expect(wrong).toMatchObject({ status: 401, body: { detail: 'Incorrect username or password' } });
  });

  it('keeps only the hash of what is in the cookie', async () => {
    await start();
    const { body: ann } = await register('ann');
    const cookie = await newSession();
    const rows = await harness.store.listBindings(ann.id, 'sessions');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
    expect(harness.log.join()).not.toContain(cookie.split('=')[1]);
  });
});

describe('the cookie of a session', () => {
  it('opens the routes of the page, and writes only with its exact origin', async () => {
    await start();
    const { body: ann } = await register('ann');
    const cookie = await newSession();
    expect((await ask('/api/me', { headers: { cookie } })).body.id).toBe(ann.id);
    expect((await ask('/api/auth/me', { headers: { cookie } })).body.username).toBe('ann');
    const write = (headers: Record<string, string>) =>
      ask('/api/conversations', { method: 'POST', body: {}, headers: { cookie, ...headers } });
    expect((await write(own())).status).toBe(201);
    expect((await write({})).status).toBe(401);
    const tls = harness.url.replace('http:', 'https:');
    expect((await write({ origin: tls })).status).toBe(401);
    const { host } = new URL(harness.url);
    expect((await write({ origin: `http://x@${host}` })).status).toBe(401);
  });

  it.each([
    ['another site that may ask', { origin: 'https://other.example' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
  ])('does not count for a read from %s', async (_name, headers) => {
    await start({ corsOrigins: ['https://other.example'] });
    await register('ann');
    const cookie = await newSession();
    expect((await ask('/api/me', { headers: { cookie, ...headers } })).status).toBe(401);
    expect((await ask('/api/me', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  it('does not count for dialects and /mcp', async () => {
    await start({ dialects: ['openai', 'chat-artifacts-ndjson'] });
    await register('ann');
    const headers = { cookie: await newSession(), ...own() };
    const messages = [{ role: 'user', content: 'hello' }];
    const asked = [
      ask('/v1/models', { headers }),
      ask('/api/chat-artifacts', { method: 'POST', headers, body: { message: 'hello', history: [] } }),
      ask('/v1/chat/completions', { method: 'POST', headers, body: { model: 'demo', messages } }),
      ask('/mcp', { method: 'POST', headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it('gives way to a token, even to one that is refused', async () => {
    await start();
    await register('ann');
    const { body: bob } = await register('bob');
    const form = new URLSearchParams({ username: 'bob', password: PASSWORD });
    const got = await fetch(`${harness.url}/api/auth/token`, { method: 'POST', body: form });
    const { access_token: token } = (await got.json()) as { access_token: string };
    const cookie = await newSession();
    const as = (bearer: string) => ask('/api/me', { headers: { cookie, authorization: `Bearer ${bearer}` } });
    expect((await as(token)).body.id).toBe(bob.id);
    expect((await as('nonsense')).status).toBe(401);
    const client = await connect({ cookie, ...own() }, token);
    const { conversation_id } = await client.send('hello');
    expect((await harness.store.getConversation(conversation_id))!.user_id).toBe(bob.id);
  });

  it('is none that was set without TLS, where the page has TLS', async () => {
    await start();
    await register('ann');
    const [name, value] = (await newSession()).split('=');
    expect(name).toBe(HTTP);
    const tls = { origin: harness.url.replace('http:', 'https:') };
    const read = (cookie: string) => ask('/api/me', { headers: { cookie, ...tls } });
    expect((await read(`${HTTP}=${value}`)).status).toBe(401);
    expect((await read(`${HTTPS}=${value}`)).status).toBe(200);
  });

  it('opens a socket with the exact origin, and no other', async () => {
    await start();
    const { body: ann } = await register('ann');
    const cookie = await newSession();
    const client = await connect({ cookie, ...own() });
    const { conversation_id } = await client.send('hello');
    expect((await harness.store.getConversation(conversation_id))!.user_id).toBe(ann.id);
    const others: Record<string, string>[] = [{}, { origin: harness.url.replace('http:', 'https:') }];
    for (const headers of others.map((other) => ({ cookie, ...other })))
      await expect(connect(headers)).rejects.toMatchObject({ data: { code: 'unauthorized' } });
  });
});

describe('a session', () => {
  it('is listed with its device, and ends one by one', async () => {
    await start();
    await register('ann');
    const first = await newSession('ann', {});
    const second = cookieIn(await signIn('ann', { ...own(), 'user-agent': 'A phone' }, { stays: true }));
    const read = async (cookie: string) => ask('/api/auth/sessions', { headers: { cookie } });
    const { sessions } = (await read(second)).body as { sessions: { id: string; device: string }[] };
    expect(sessions).toHaveLength(2);
    const phone = sessions.find(({ device }) => device === 'A phone')!;
    expect(phone).toEqual({
      id: expect.stringMatching(/^session_/),
      device: 'A phone',
      stays: true,
      is_current: true,
      created_at: expect.any(String),
      used_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const end = () =>
      ask(`/api/auth/sessions/${phone.id}`, { method: 'DELETE', headers: { cookie: first, ...own() } });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(404);
    expect((await read(second)).status).toBe(401);
    expect((await read(first)).body.sessions).toHaveLength(1);
  });

  it('ends with signing out, which removes the cookie', async () => {
    await start();
    await register('ann');
    const cookie = await newSession();
    const out = (headers: Record<string, string>) =>
      ask('/api/auth/session', { method: 'DELETE', headers: { cookie, ...headers } });
    expect((await out({})).status).toBe(403);
    expect((await ask('/api/me', { headers: { cookie } })).status).toBe(200);
    const answer = await out(own());
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(new RegExp(`^${HTTP}=; .*Expires=Thu, 01 Jan 1970`));
    expect((await ask('/api/me', { headers: { cookie } })).status).toBe(401);
    expect((await out(own())).status).toBe(204);
  });

  it('that another gateway ended loses its sockets within half a minute', async () => {
    await start();
    const { body: ann } = await register('ann');
    const [lost, kept] = [await newSession(), await newSession()];
    const clients = [await connect({ cookie: lost, ...own() }), await connect({ cookie: kept, ...own() })];
    const listed = await ask('/api/auth/sessions', { headers: { cookie: lost } });
    const current = listed.body.sessions.find((one: { is_current: boolean }) => one.is_current);
    await harness.store.removeBinding(current.id);
    await isGone(clients[0]!, 30_000);
    expect(clients[0]!.order.at(-1)).toBe('token_expired');
    expect(clients[1]!.socket.connected).toBe(true);
    expect(await harness.store.listBindings(ann.id, 'sessions')).toHaveLength(1);
  });

  it('of an account that was deactivated opens nothing', async () => {
    await start();
    const { body: ann } = await register('ann');
    const cookie = await newSession();
    const client = await connect({ cookie, ...own() });
    await harness.store.updateAccount(ann.id, { is_active: false });
    await isGone(client, 30_000);
    expect((await ask('/api/me', { headers: { cookie } })).status).toBe(401);
  });
});
