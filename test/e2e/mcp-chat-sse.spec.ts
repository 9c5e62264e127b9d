import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { McpChatClient, readStrictly } from './mcp-chat-client.js';
import { McpChatSystem } from './mcp-chat-system.js';
import { gate } from './scripted-provider.js';
import { requestJson } from './standalone-process.js';

/* The acceptance list of mcp-chat-sse by number: the connection, several turns, several people. */

const START_MS = 90_000;

let system: McpChatSystem;
beforeAll(async () => {
  system = await McpChatSystem.start();
  for (const id of ['slow', 'quick']) await system.connected(id);
}, START_MS);
afterAll(() => system?.stop());
afterEach(() => {
  expect(system.provider.violations).toEqual([]);
  expect(system.provider.unused).toBe(0);
});

describe('mcp-chat servers and the connection', () => {
  test('1 every toolset is listed, sorted, with strings and no file path', async () => {
    const { status, body } = await system.newClient().request<Record<string, unknown>[]>('GET', '/servers');
    expect(status).toBe(200);
    const ids = body.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['faulty', 'math', 'quick', 'slow', 'time']));
    expect(ids).toEqual(ids.toSorted());
    for (const server of body) {
      for (const key of ['id', 'name', 'path']) expect(typeof server[key]).toBe('string');
      expect(server.path).not.toContain('/');
    }
  });

  test('2, 3 connecting selects one server with its tools, and another one replaces it', async () => {
    const client = system.newClient();
    for (const id of ['math', 'slow']) {
      const { status, body } = await client.connect(id);
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, server_id: id, server_name: id, tools: expect.any(Array) });
      expect(body.tools.length).toBeGreaterThan(0);
      for (const tool of body.tools)
        expect(tool).toEqual({ name: expect.any(String), description: expect.any(String) });
      expect(await client.status()).toEqual({ connected: true, server_id: id, tools: body.tools });
    }
  });

  test('4 an unknown server is 404 with a reason, and the connection stays', async () => {
    const client = await system.connected('math');
    for (const id of ['nope', 'a/b', 'math%', '$ne']) {
      const { status, body } = await client.connect(id);
      expect([id, status, body]).toEqual([id, 404, { detail: expect.any(String) }]);
    }
    expect(await client.status()).toMatchObject({ connected: true, server_id: 'math' });
  });

  test('5 disconnecting twice is fine, and then nothing is connected', async () => {
    const client = await system.connected('math');
    for (let times = 0; times < 2; times++)
      expect(await client.request('POST', '/disconnect')).toMatchObject({
        status: 200,
        body: { success: true },
      });
    const raw = await (await client.fetch('GET', '/status')).text();
    expect(raw).toBe('{"connected":false,"server_id":null,"tools":[]}');
  });
});

describe('several mcp-chat turns', () => {
  test('17 see earlier messages until another server is connected', async () => {
    const client = await system.connected('math');
    system.provider.answer(say('I will.'), say('4711'), say('No idea.'));
    await client.stream('Remember 4711');
    await client.stream('Which number?');
    expect(JSON.stringify(system.provider.lastMessages)).toContain('Remember 4711');
    await client.connect('time');
    await client.stream('Which number?');
    expect(JSON.stringify(system.provider.lastMessages)).not.toContain('4711');
  });

  test('21 continue without their client, and the answer is in the conversation', async () => {
    const { until, open } = gate();
    system.provider.answer({ ...say('All the same.'), hold: until });
    const client = system.newClient();
    const controller = new AbortController();
    const response = await client.fetch('POST', '/chat/stream', { message: 'go on' }, controller.signal);
    const conversation = response.headers.get('x-conversation-id')!;
    controller.abort();
    await expect(response.text()).rejects.toThrow();
    open();
    const last = async () => (await system.messages(conversation)).at(-1)?.content === 'All the same.';
    await waitFor(last, { what: 'the answer' });
  });

  test('22 of one connection are queued, and their events are not mixed', async () => {
    const { until, open } = gate();
    system.provider.answer({ ...say('First.'), hold: until }, say('Second.'));
    const client = system.newClient();
    const first = readStrictly(await client.fetch('POST', '/chat/stream', { message: 'one' }));
    const second = readStrictly(await client.fetch('POST', '/chat/stream', { message: 'two' }));
    open();
    const both = await Promise.all([first, second]);
    expect(both.map(({ text }) => text)).toEqual(['First.', 'Second.']);
    expect(both.map(({ events }) => events.length)).toEqual([1, 1]);
    // Which end is read first is up to the two connections; that the second began after the first shows in its history.
    expect(JSON.stringify(system.provider.lastMessages)).toContain('First.');
    expect(new Set(both.map(({ conversationId }) => conversationId)).size).toBe(1);
  });

  test('a stopped turn ends its stream with [ERROR] Stopped, its call with an end, and /chat with 409', async () => {
    const client = await system.connected('quick');
    system.provider.answer(useTools(['toolu_1', 'quick__hold', { name: 'stop-me' }]));
    const response = await client.fetch('POST', '/chat/stream', { message: 'hold on' });
    const chatting = client.chat('and then?');
    await system.gates.started('stop-me');
    const stop = (id: string) => requestJson(`${system.url}/api/turns/${id}/stop`, { method: 'POST' });
    const conversation = response.headers.get('x-conversation-id')!;
    const inLine = async () =>
      (await system.turns(conversation)).find(({ content }) => content === 'and then?');
    const waiting = await waitFor(inLine, { what: 'the turn in line' });
    await stop(waiting.turn_id);
    await stop(response.headers.get('x-turn-id')!);
    expect(await chatting).toMatchObject({ status: 409, body: { detail: 'Stopped' } });
    const { last, ends } = await readStrictly(response);
    expect([last, ends.map(({ status }) => status)]).toEqual(['[ERROR] Stopped', ['failure']]);
  });
});

describe('mcp-chat users', () => {
  test(
    '18 have a connection each, and one per session; requests without a token have none',
    async () => {
      const shared = await McpChatSystem.start({
        AUTH: 'local',
        JWT_SECRET: 'long-enough-for-a-test-'.repeat(2),
      });
      const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => signIn(shared.url, name)));
      const client = (authorization: string, session = 'a') =>
        new McpChatClient(shared.url, { authorization, 'X-Session-Id': session });
      expect((await client(ann!).connect('math')).status).toBe(200);
      expect(await client(ann!).status()).toMatchObject({ connected: true, server_id: 'math' });
      expect((await client(ann!, 'b').status()).connected).toBe(false);
      expect((await client(bob!).status()).connected).toBe(false);
      const places: string[] = [];
      for (const mine of [client(ann!), client(ann!, 'b'), client(bob!)]) {
        shared.provider.answer(say('Hello.'));
        places.push((await mine.stream('hello')).conversationId);
      }
      expect(new Set(places).size).toBe(3);
      expect((await new McpChatClient(shared.url).request('GET', '/status')).status).toBe(401);
      await shared.stop();
    },
    START_MS,
  );
});

/** The header that says who. */
async function signIn(url: string, username: string): Promise<string> {
  const password = 'a good password';
  const account = { email: `${username}@example.org`, username, password };
  await requestJson(`${url}/api/auth/register`, { method: 'POST', json: account });
  const form = { method: 'POST', body: new URLSearchParams({ username, password }) };
  const { body } = await requestJson<{ access_token: string }>(`${url}/api/auth/token`, form);
  return `Bearer ${body.access_token}`;
}
