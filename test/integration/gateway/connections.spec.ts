import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import type { Connections, Flow } from '#connections';
import { inputId } from '#turn';
import { findFreePort } from '../../services/free-port.js';
import { JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';
import { CONNECTION_SETTINGS, connectionsOf, makeConnection, makeFlow } from './made-connection.js';
import { addCall, PlayedTurn } from './played-turn.js';

let harness: Harness;
let connections: Connections;
let turnId: string;
let callId: string;
let id: string;
let flow: Flow;

beforeEach(async () => {
  const port = await findFreePort();
  const settings = { ...CONNECTION_SETTINGS, publicUrl: `http://127.0.0.1:${port}` };
  const auth = { kind: 'jwt' as const, secret: JWT_SECRET };
  harness = await startHarness({ port, config: { auth, connections: settings } });
  connections = connectionsOf(harness.store, settings);
  ({ turnId, callId, id, flow } = await ask());
});
afterEach(() => harness.stop());

const tokenOf = (user: string) =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(JWT_SECRET));

async function request(
  method: string,
  path: string,
  user = 'ann',
  more: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${await tokenOf(user)}`, 'content-type': 'application/json' };
  return fetch(harness.url + path, { method, headers, ...more });
}

/** A call of Ann that waits for her to connect an account. */
async function ask() {
  const json = async (response: Response) => (await response.json()) as { id: string; turn_id: string };
  const conversation = await json(await request('POST', '/api/conversations', 'ann', { body: '{}' }));
  const path = `/api/conversations/${conversation.id}/turns`;
  const turn = await json(
    await request('POST', path, 'ann', { body: JSON.stringify({ content: 'who am I' }) }),
  );
  const played = await PlayedTurn.take(harness, turn.turn_id);
  const call = addCall('a');
  await played.start();
  await played.commit(1, 'asking', [call]);
  await played.claim(call.tool_call_id, 'worker-1');
  const place = { turn_id: turn.turn_id, tool_call_id: call.tool_call_id };
  const made = await makeFlow(connections, 'ann', place);
  await harness.store.answer({
    _id: inputId(call.tool_call_id, 'question', 1),
    turn_id: turn.turn_id,
    conversation_id: conversation.id,
    question: {
      message: 'Connect',
      schema: { type: 'object', properties: {} },
      connection: made.id,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
    by: 'worker-1',
    at: new Date().toISOString(),
  });
  return { turnId: turn.turn_id, callId: call.tool_call_id, ...made };
}

const answer = () => harness.store.getAnswer(inputId(callId, 'input', 1));

async function start(): Promise<string> {
  const response = await request('POST', `/api/connections/${id}/start`);
  expect(await response.json()).toEqual({ authorization_url: flow.authorization_url });
  return response.headers.get('set-cookie')!;
}

function comeBack(query: Record<string, string>, cookie = ''): Promise<Response> {
  const path = `/api/connections/callback?${new URLSearchParams(query).toString()}`;
  return fetch(harness.url + path, { headers: { cookie }, redirect: 'manual' });
}

describe('a person who connects an account', () => {
  it('gets the address and a cookie of this way only, and the waiting call is answered on the way back', async () => {
    const cookie = await start();
    expect(cookie).toMatch(/; Path=\/api\/connections\/callback/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    const back = await comeBack(
      { state: flow.state, code: 'c0de', iss: 'https://id.example.com' },
      cookie.split(';')[0],
    );
    expect(back.status).toBe(200);
    expect(await back.text()).toContain('You can close this tab');
    expect(await answer()).toMatchObject({ action: 'accept', content: {}, by: 'ann' });
    expect((await connections.flows.take(id))?.flow.given).toEqual({
      code: 'c0de',
      iss: 'https://id.example.com',
    });
  });

  it('is not let in with a foreign state, in another browser, or twice', async () => {
    const cookie = (await start()).split(';')[0]!;
    const [name] = cookie.split('=');
    for (const [query, given] of [
      [{ state: flow.state, code: 'x' }, ''],
      [{ state: flow.state, code: 'x' }, `${name}=another`],
      [{ state: `${id}.foreign`, code: 'x' }, cookie],
      [{ state: '', code: 'x' }, cookie],
      [{ code: 'x' } as never, cookie],
    ] as const)
      expect((await comeBack(query, given)).status).toBe(400);
    expect(await answer()).toBeNull();
    expect((await comeBack({ state: flow.state, code: 'c' }, cookie)).status).toBe(200);
    expect((await comeBack({ state: flow.state, code: 'c' }, cookie)).status).toBe(400);
  });

  it('is told that the issuer refused, and the call goes on to end with that', async () => {
    const cookie = (await start()).split(';')[0]!;
    const back = await comeBack({ state: flow.state, error: 'access_denied' }, cookie);
    expect(back.status).toBe(200);
    expect(await back.text()).toContain('Access was not given, so the call ends.');
    expect(await answer()).toMatchObject({ action: 'accept' });
  });

  it('is told when the call no longer waits', async () => {
    const cookie = (await start()).split(';')[0]!;
    const declined = await request('POST', `/api/turns/${turnId}/calls/${callId}/input`, 'ann', {
      body: JSON.stringify({ action: 'decline' }),
    });
    expect(declined.ok).toBe(true);
    expect((await comeBack({ state: flow.state, error: 'access_denied' }, cookie)).status).toBe(409);
    expect(await answer()).toMatchObject({ action: 'decline' });
  });

  it('cannot answer the question in any other way than to decline', async () => {
    const accept = await request('POST', `/api/turns/${turnId}/calls/${callId}/input`, 'ann', {
      body: JSON.stringify({ content: {} }),
    });
    expect(accept.status).toBe(422);
    expect(await answer()).toBeNull();
  });

  it('starts nothing for others, nor at another address of the page', async () => {
    expect((await request('POST', `/api/connections/${id}/start`, 'bob')).status).toBe(404);
    const other = harness.url.replace('127.0.0.1', 'localhost');
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` };
    const response = await fetch(`${other}/api/connections/${id}/start`, { method: 'POST', headers });
    expect(response.status).toBe(422);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).not.toContain(flow.state);
  });

  it('sees the connected accounts without a token, and removes one', async () => {
    const connection = await makeConnection(connections, 'ann');
    const text = await (await request('GET', '/api/connections')).text();
    expect(JSON.parse(text)).toEqual({
      connections: [
        {
          id: connection,
          server: 'notes',
          issuer: 'https://id.example.com',
          resource: 'https://notes.example.com/mcp',
          at: expect.any(String),
        },
      ],
    });
    expect((await request('DELETE', `/api/connections/${connection}`, 'bob')).status).toBe(404);
    const removed = await request('DELETE', `/api/connections/${connection}`);
    expect(await removed.json()).toEqual({ revoked: false });
    expect(await (await request('GET', '/api/connections')).json()).toEqual({ connections: [] });
  });
});

it('no code, state or token reaches the log', async () => {
  const cookie = (await start()).split(';')[0]!;
  await comeBack({ state: flow.state, code: 's3cret-code' }, cookie);
  await makeConnection(connections, 'ann');
  const log = harness.log.join('\n');
  for (const secret of ['s3cret-code', flow.state, flow.browser, 'a-secret-token'])
    expect(log).not.toContain(secret);
});
