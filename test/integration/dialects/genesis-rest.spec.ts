import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nextMillisecond } from '../../services/next-millisecond.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';

/* What the Genesis front end asks over HTTP: the native paths, by the letter of its contract. */

interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

const ORIGIN = 'http://localhost:5173';

let harness: Harness;
let ann: string;
let bob: string;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
  [ann, bob] = [await signTestToken('ann'), await signTestToken('bob')];
});
afterAll(() => harness.stop());

async function ask(
  method: string,
  path: string,
  { json, token = ann, ...init }: RequestInit & { json?: unknown; token?: string } = {},
): Promise<Reply> {
  const response = await fetch(harness.url + path, {
    method,
    ...init,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    headers: {
      Origin: ORIGIN,
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(init.headers as Record<string, string>),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : null };
}

async function create(title = 'New Chat'): Promise<{ id: string; updated_at: string }> {
  return (await ask('POST', '/api/conversations', { json: { title } })).json as {
    id: string;
    updated_at: string;
  };
}

describe('conversations of the Genesis front end', () => {
  it('have exactly these fields, none of them null, and a default title', async () => {
    const { status, json } = await ask('POST', '/api/conversations', { json: {} });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      id: expect.any(String),
      user_id: 'ann',
      title: 'New Conversation',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(Object.values(json as object)).not.toContain(null);
    for (const body of [undefined, { title: null }, { title: ' ' }])
      expect(await ask('POST', '/api/conversations', { json: body })).toMatchObject({
        status: 201,
        json: { title: 'New Conversation' },
      });
    expect(await ask('POST', '/api/conversations', { json: { title: 'x'.repeat(200) } })).toMatchObject({
      status: 201,
      json: { title: 'x'.repeat(200) },
    });
  });

  it('3 are listed by their last message', async () => {
    const older = await create();
    await nextMillisecond(older.updated_at);
    const newer = await create();
    await nextMillisecond(newer.updated_at);
    await ask('POST', `/api/conversations/${older.id}/turns`, { json: { content: 'hello' } });
    const list = (await ask('GET', '/api/conversations?skip=0&limit=100')).json as { id: string }[];
    const ids = list.map(({ id }) => id);
    expect(ids.indexOf(older.id)).toBe(0);
    expect(ids.indexOf(newer.id)).toBe(1);
    const page = (await ask('GET', '/api/conversations?skip=1&limit=1')).json as { id: string }[];
    expect(page.map(({ id }) => id)).toEqual([newer.id]);
  });

  it('stay unchanged, and in their place, after an empty PATCH', async () => {
    const { id } = await create('Ships');
    const before = await ask('GET', `/api/conversations/${id}`);
    await create();
    for (const json of [{}, { title: null }, { title: '' }, { title: '  ' }])
      expect((await ask('PATCH', `/api/conversations/${id}`, { json })).text).toBe(before.text);
    expect((await ask('GET', `/api/conversations/${id}`)).text).toBe(before.text);
    const renamed = await ask('PATCH', `/api/conversations/${id}`, { json: { title: 'Boats' } });
    expect(renamed).toMatchObject({ status: 200, json: { id, title: 'Boats' } });
  });

  it.each([
    ['POST', '/api/conversations', { title: 'x'.repeat(201) }],
    ['POST', '/api/conversations', { title: 5 }],
    ['POST', '/api/conversations', []],
    ['GET', '/api/conversations?limit=0', undefined],
    ['GET', '/api/conversations?limit=101', undefined],
    ['GET', '/api/conversations?limit=x', undefined],
    ['GET', '/api/conversations?skip=-1', undefined],
    ['PATCH', '/api/conversations/:id', { title: 'x'.repeat(201) }],
    ['PATCH', '/api/conversations/:id', { title: ['x'] }],
    ['GET', '/api/conversations/:id/messages?limit=0', undefined],
    ['GET', '/api/conversations/:id/messages?limit=501', undefined],
    ['GET', '/api/conversations/:id/messages?skip=x', undefined],
  ])('3 %s %s is refused with 422 and one sentence: %.30j', async (method, path, json) => {
    const { id } = await create();
    const reply = await ask(method, path.replace(':id', id), { json });
    expect(reply).toMatchObject({ status: 422, json: { detail: expect.any(String) } });
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(reply.headers.get('access-control-allow-credentials')).toBe('true');
  });

  it('3 answer 422 to a body that is not JSON, unlike the 400 without the dialect', async () => {
    const without = await startHarness({ config: { dialects: ['mcp-chat-sse'] } });
    const send = { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } };
    const unread = await fetch(`${without.url}/api/conversations`, send);
    await without.stop();
    const headers = { 'Content-Type': 'application/json' };
    expect([(await ask('POST', '/api/conversations', { body: '{', headers })).status, unread.status]).toEqual(
      [422, 400],
    );
  });

  it('3 answer the same for another user’s, unknown, deleted and malformed ids', async () => {
    const { id } = await create();
    const deleted = await create();
    const gone = await ask('DELETE', `/api/conversations/${deleted.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    const asks: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { title: 'mine' }],
      ['DELETE', ''],
      ['GET', '/messages'],
    ];
    for (const [method, rest, json] of asks) {
      const token = { json, token: bob };
      const replies = [await ask(method, `/api/conversations/${id}${rest}`, token)];
      for (const other of [deleted.id, 'conv_unknown', '%00', '%zz', '..%2f..', 'a'.repeat(300), '$ne'])
        replies.push(await ask(method, `/api/conversations/${other}${rest}`, token));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
      const texts = replies.map(({ text }) => text.replace(/,"request_id":"[^"]*"/, ''));
      expect(new Set(texts).size).toBe(1);
    }
    expect((await ask('GET', `/api/conversations/${id}`)).status).toBe(200);
  });

  it('require a token, even for reading', async () => {
    for (const path of ['/api/conversations', '/api/tools', '/api/conversations/x/messages']) {
      const reply = await ask('GET', path, { token: '' });
      expect(reply).toMatchObject({ status: 401, json: { detail: expect.any(String) } });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(reply.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    }
  });

  it('accept any method and header from the front end’s pages, and none from other origins', async () => {
    for (const origin of [ORIGIN, 'http://localhost:3000']) {
      const preflight = await ask('OPTIONS', '/api/conversations/x', {
        token: '',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'PATCH',
          'Access-Control-Request-Headers': 'authorization,content-type,x-anything',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(preflight.headers.get('access-control-allow-credentials')).toBe('true');
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        expect(preflight.headers.get('access-control-allow-methods')).toContain(method);
      expect(preflight.headers.get('access-control-allow-headers')).toBe(
        'authorization,content-type,x-anything',
      );
    }
    const foreign = await ask('GET', '/api/conversations', { headers: { Origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('messages of the Genesis front end', () => {
  it('14 are the user’s, and the steps with text, the same on every read; tools only when asked for', async () => {
    const { id } = await create();
    const taken = await ask('POST', `/api/conversations/${id}/turns`, { json: { content: '1 + 2?' } });
    const { turn_id } = taken.json as { turn_id: string };
    const played = await PlayedTurn.take(harness, turn_id);
    const [first, second] = [addCall('M'), { ...addCall('N'), tool_name: 'everything.echo' }];
    second.display_name = 'mcp:everything:echo';
    second.source = 'mcp';
    await played.start();
    await played.commit(1, 'Let me see.', [first]);
    await played.settle(first, 1, 3);
    await played.commit(2, ' \n', [second]);
    await played.settle(second, 2, 'echoed');
    await played.commit(3, 'It is 3.');
    const read = (query = '') => ask('GET', `/api/conversations/${id}/messages${query}`);
    const { json, text } = await read();
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const said = (messageId: string, role: string, content: string) => ({
      id: messageId,
      conversation_id: id,
      role,
      content,
      created_at: at,
      turn_number: 1,
    });
    const shown = [
      said(turn_id, 'user', '1 + 2?'),
      said(`${turn_id}:1`, 'assistant', 'Let me see.'),
      said(`${turn_id}:3`, 'assistant', 'It is 3.'),
    ];
    expect(json).toEqual(shown);
    expect((await read()).text).toBe(text);
    const tool = (call: typeof first, content: string) => ({
      ...said(call.tool_call_id, 'tool', content),
      metadata: {
        tool_call_id: call.tool_call_id,
        tool_name: call.display_name,
        qualified_name: call.tool_name,
        source: call.source,
        status: 'success',
      },
    });
    expect((await read('?include=tools')).json).toEqual([
      shown[0],
      shown[1],
      tool(first, '3'),
      tool(second, 'echoed'),
      shown[2],
    ]);
    expect((await read('?skip=1&limit=1')).json).toEqual([shown[1]]);
  });
});

describe('POST /api/transcribe', () => {
  const form = (size: number) => {
    const body = new FormData();
    body.append('audio_file', new Blob([new Uint8Array(size)]), 'speech.webm');
    return { body };
  };

  it('reports that there is no engine after a brief check of the body', async () => {
    expect(await ask('POST', '/api/transcribe', form(1_000))).toMatchObject({
      status: 501,
      json: { detail: expect.any(String) },
    });
    expect((await ask('POST', '/api/transcribe', { json: {} })).status).toBe(400);
    expect((await ask('POST', '/api/transcribe', { ...form(1), token: '' })).status).toBe(401);
    expect((await ask('GET', '/api/transcribe')).status).toBe(404);
  });

  it('refuses more than 25 MB by the announced length', async () => {
    const sent = request(`${harness.url}/api/transcribe`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ann}`,
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': 26 * 1024 * 1024,
      },
    });
    sent.flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    sent.destroy();
  });
});

describe('a plain request for /ws/chat', () => {
  it('is told to open a WebSocket', async () => {
    for (const method of ['GET', 'POST']) {
      const reply = await ask(method, '/ws/chat', { token: '' });
      expect(reply).toMatchObject({ status: 426, json: { detail: expect.any(String) } });
      expect(reply.headers.get('upgrade')).toBe('websocket');
    }
  });
});
