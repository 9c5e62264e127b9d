import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError, type Store } from '#store';
import { McpChatClient, readStrictly } from '../../e2e/mcp-chat-client.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { PlayedTurn } from '../gateway/played-turn.js';

const FRONT_END = 'http://localhost:3000';
const DETAIL = { detail: expect.any(String) };
const PATHS = [
  ['GET', '/servers'],
  ['GET', '/status'],
  ['POST', '/connect/math'],
  ['POST', '/disconnect'],
  ['POST', '/chat'],
  ['POST', '/chat/stream'],
] as const;

let harness: Harness;
let client: McpChatClient;
/** The store's methods of these names fail. */
const broken = new Set<string>();
beforeAll(async () => {
  const alter = ({ store }: { store: Store }) => ({ store: breakable(store) });
  harness = await startHarness({ alter, config: { dialects: ['mcp-chat-sse'] } });
  client = new McpChatClient(harness.url);
});
afterEach(() => broken.clear());
afterAll(() => harness.stop());

function breakable(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown =>
        broken.has(String(name))
          ? Promise.reject(new StoreUnavailableError('down'))
          : (value as (...args: unknown[]) => unknown).apply(target, args);
    },
  });
}

async function unended(content: string): Promise<PlayedTurn> {
  const find = async () => {
    const turns = await harness.store.listUnendedTurnsOf('local');
    return turns.find((turn) => turn.content === content);
  };
  return PlayedTurn.take(harness, (await waitFor(find, { what: content }))._id);
}

describe('a refused mcp-chat request', () => {
  it('states the reason in the form of the contract, before any stream', async () => {
    const cases: [path: string, body: string, status: number][] = ['/chat', '/chat/stream'].flatMap(
      (path) => [
        [path, '{}', 422],
        [path, '{"message":5}', 422],
        [path, '{"message":null}', 422],
        [path, '{"message":"  \\n"}', 422],
        [path, '[]', 422],
        [path, '{', 400],
        [path, '"hello"', 422],
        [path, 'null', 422],
        [path, '5', 422],
        [path, 'hello', 400],
        [path, JSON.stringify({ message: 'x'.repeat(65_537) }), 413],
        [path, JSON.stringify({ message: 'x'.repeat(1024 * 1024) }), 413],
        [path, `{"message":${'['.repeat(200)}${']'.repeat(200)}}`, 422],
      ],
    );
    for (const [path, body, status] of cases) {
      const answer = await client.request('POST', path, body);
      expect([path, body.slice(0, 20), answer.status]).toEqual([path, body.slice(0, 20), status]);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(answer.body).toEqual(DETAIL);
    }
  });

  it('has an invalid session or a body of another type', async () => {
    for (const session of ['', 'a b', 'a'.repeat(65), 'ä', '../x']) {
      const odd = new McpChatClient(harness.url, { 'X-Session-Id': encodeURI(session) });
      const { status, body } = await odd.request('GET', '/status');
      expect([session, status, body]).toEqual([session, 422, DETAIL]);
    }
    const form = { method: 'POST', body: 'message=hello', headers: { 'content-type': 'text/plain' } };
    const refused = await fetch(`${harness.url}/chat`, form);
    expect([refused.status, await refused.json()]).toEqual([415, DETAIL]);
  });

  it('is never one to connect or disconnect, regardless of its body', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json' }])
      for (const [path, status] of [
        ['/disconnect', 200],
        ['/connect/nope', 404],
      ] as const) {
        const answer = await fetch(harness.url + path, { method: 'POST', body: '{broken', headers });
        expect([path, answer.status]).toEqual([path, status]);
        await answer.text();
      }
  });

  it('has another method, and is answered with the supported ones', async () => {
    for (const [method, path] of PATHS) {
      const other = method === 'GET' ? 'POST' : 'GET';
      const answer = await client.request(other, path);
      expect([path, answer.status, answer.body]).toEqual([path, 405, DETAIL]);
      expect(answer.headers.get('allow')).toBe(method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');
    }
    for (const path of ['/connect', '/connect/', '/connect/%ff', '/connect/a%2Fb', '/connect/__proto__']) {
      const answer = await client.request('POST', path);
      expect([path, [400, 404].includes(answer.status), answer.body]).toEqual([path, true, DETAIL]);
    }
  });

  it('is every request while the store is down', async () => {
    for (const name of ['getBinding', 'putBinding', 'getConversation', 'countUnendedTurns']) broken.add(name);
    for (const [method, path] of PATHS) {
      const answer = await client.request(method, path, method === 'POST' ? { message: 'hello' } : undefined);
      expect([path, answer.status, answer.body]).toEqual([path, 503, DETAIL]);
    }
  });

  it('is every request without a required token', async () => {
    const locked = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    const stranger = new McpChatClient(locked.url);
    for (const [method, path] of PATHS) {
      const answer = await stranger.request(
        method,
        path,
        method === 'POST' ? { message: 'hello' } : undefined,
      );
      expect([path, answer.status, answer.body]).toEqual([path, 401, DETAIL]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    const known = new McpChatClient(locked.url, { authorization: `Bearer ${await signTestToken('ann')}` });
    expect((await known.status()).connected).toBe(false);
    await locked.stop();
  });
});

describe('pages of other origins', () => {
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    fetch(harness.url + path, { method, headers });

  it.each(PATHS)('20 may use what the contract allows, %s %s', async (method, path) => {
    const preflight = await ask('OPTIONS', path, {
      origin: FRONT_END,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type, x-session-id, authorization',
    });
    expect([preflight.status, await preflight.text()]).toEqual([204, '']);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': FRONT_END,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'content-type, x-session-id, authorization',
      'access-control-expose-headers': 'X-Conversation-Id, X-Turn-Id',
    });
    expect(preflight.headers.get('vary')).toContain('Origin');
  });

  it.each(['/api/tools', '/nothing', '/mcp'])('20 may ask about %s, and may not use it', async (path) => {
    const asking = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-odd' };
    const preflight = await ask('OPTIONS', path, { origin: FRONT_END, ...asking });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': FRONT_END,
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'x-odd',
    });
    const used = await ask('POST', path, { origin: FRONT_END });
    expect([used.status, used.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const foreign = await ask('OPTIONS', path, { origin: 'http://evil.example', ...asking });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('have no default origin unless DIALECTS names the dialect', async () => {
    const unnamed = await startHarness();
    const asked = { origin: FRONT_END, 'access-control-request-method': 'POST' };
    for (const [method, path] of PATHS) {
      const preflight = await fetch(unnamed.url + path, { method: 'OPTIONS', headers: asked });
      const used = await fetch(unnamed.url + path, { method, headers: { origin: FRONT_END } });
      for (const answer of [preflight, used])
        expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
          path,
          403,
          null,
        ]);
    }
    await unnamed.stop();
  });

  it('20 get errors and refusals with the same headers, and other origins get none', async () => {
    for (const [method, path, status] of [
      ['POST', '/connect/nope', 404],
      ['POST', '/chat/stream', 422],
      ['PUT', '/chat', 405],
      ['GET', '/status', 200],
    ] as const) {
      const answer = await ask(method, path, { origin: FRONT_END });
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(FRONT_END);
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
      expect(answer.headers.get('access-control-expose-headers')).toBe('X-Conversation-Id, X-Turn-Id');
      expect(answer.headers.get('vary')).toContain('Origin');
      for (const asked of [method, 'OPTIONS']) {
        const refused = await ask(asked, path, { origin: 'http://evil.example' });
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
        expect(refused.headers.get('vary')).toContain('Origin');
      }
    }
  });
});

describe('an mcp-chat turn without an answer', () => {
  it('12 ends a stream with one line, and a chat with 502, 504 or 409', async () => {
    const codes = { model_error: 502, refused: 502, budget_exceeded: 504, stopped: 409 } as const;
    for (const [code, status] of Object.entries(codes) as [keyof typeof codes, number][]) {
      const chatting = client.chat(`chat ${code}`);
      await fail(await unended(`chat ${code}`), code);
      const chat = await chatting;
      expect([code, chat.status, chat.body]).toEqual([code, status, DETAIL]);
      const streaming = client.stream(`stream ${code}`);
      await fail(await unended(`stream ${code}`), code);
      expect((await streaming).last).toBe(code === 'stopped' ? '[ERROR] Stopped' : `[ERROR] no ${code}`);
      expect(chat.headers.get('x-turn-id')).toMatch(/^turn_/);
    }
  });

  async function fail(played: PlayedTurn, code: 'model_error' | 'refused' | 'budget_exceeded' | 'stopped') {
    await played.start();
    const row = { ...played.stepRow(1, ''), blocks: [], stop_reason: null };
    const fields = { ...played.fields, message: `no\n${code}` };
    if (code === 'stopped') {
      await harness.store.commitStep({ ...row, kind: 'cancel' });
      played.emit({ type: 'cancelled', ...fields });
    } else {
      await harness.store.commitStep({ ...row, kind: 'fail', error: { code, message: fields.message } });
      played.emit({ type: 'error', ...fields, code });
    }
  }

  it('ends a stream when its gateway stops, a chat with 503, and continues', async () => {
    const other = await startHarness();
    const parting = new McpChatClient(other.url);
    const streaming = parting.fetch('POST', '/chat/stream', { message: 'one' });
    const chatting = parting.chat('two');
    const isWaiting = async () => (await other.store.listUnendedTurnsOf('local')).length === 2;
    await waitFor(isWaiting, { what: 'both turns' });
    const response = await inTime(streaming, { what: 'the head of the stream' });
    const stopping = other.stop();
    const restarting = 'Server is restarting, the answer will be in the conversation';
    expect(await readStrictly(response)).toMatchObject({ raw: `data: [ERROR] ${restarting}\n\n` });
    const { status, body } = await inTime(chatting, { what: 'the answer to the chat' });
    expect([status, body]).toEqual([503, { detail: restarting }]);
    await stopping;
  });
});
