import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools, type ScriptedReply } from '../fakes/messages-reply.js';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { Gates } from './gates.js';
import { GenesisFrontEnd } from './genesis-front-end.js';
import { gate, ScriptedProvider } from './scripted-provider.js';
import { removeFolders, startStandalone } from './standalone-process.js';

/* Every line of genesis-chat.md §8, by its number, against a whole Switchyard. */

const TYPES = ['token', 'tool_start', 'tool_complete', 'tool_error', 'complete', 'error', 'pong'];

let provider: ScriptedProvider;
let gates: Gates;
let standalone: SwitchyardProcess;
let ann: GenesisFrontEnd;
let holds = 0;

beforeAll(async () => {
  [provider, gates] = await Promise.all([ScriptedProvider.start(), Gates.create()]);
  standalone = await startStandalone({
    ...provider.env,
    AUTH: 'local',
    MCP_CONFIG: await gates.mcpConfig({ gate: 'read' }),
  });
  ann = new GenesisFrontEnd(standalone.url);
  await ann.register('ann');
  await ann.signIn('ann');
  // MCP servers connect after the process is ready.
  const offered = async () => JSON.stringify((await ann.ask('GET', '/tools')).body);
  await waitFor(async () => (await offered()).includes('mcp:gate:hold'), {
    what: 'the tools of the MCP server',
    timeoutMs: 30_000,
  });
}, 90_000);
afterAll(async () => {
  await standalone.kill('SIGTERM');
  await Promise.all([provider.close(), gates.remove(), removeFolders()]);
});

/** A conversation of its own, and a socket that has been told nothing. */
beforeEach(async () => {
  ann.socket?.close();
  await ann.startConversation();
  await ann.connect();
  Object.assign(ann, { isLocked: false, streamed: '' });
  ann.cards.length = 0;
});

async function ask(content: string, ...replies: ScriptedReply[]): Promise<void> {
  provider.answer(...replies);
  await ann.send(content);
  await ann.answered();
}

describe('genesis-chat accounts', () => {
  test('1 register is 201, again 400, a bad email 422, and each detail is a string', async () => {
    const nobody = new GenesisFrontEnd(standalone.url);
    expect(await nobody.register('bert', { full_name: 'Bert' })).toMatchObject({
      status: 201,
      body: { username: 'bert', email: 'bert@example.org', full_name: 'Bert', is_active: true },
    });
    for (const [reply, status] of [
      [await nobody.register('bert'), 400],
      [await nobody.register('carl', { email: 'bert@example.org' }), 400],
      [await nobody.register('carl', { email: 'no email' }), 422],
      [await nobody.register('ab'), 422],
      [await nobody.register('carl', { password: 'short' }), 422],
    ] as const)
      expect([reply.status, reply.body.detail]).toEqual([status, expect.any(String)]);
  });

  test('2 a token is issued for a form, with the name or the email, and not for JSON or a wrong password', async () => {
    const nobody = new GenesisFrontEnd(standalone.url);
    const json = { username: 'ann', password: 'correct horse' };
    expect((await nobody.ask('POST', '/auth/token', { json })).status).toBe(422);
    expect(await nobody.signIn('ann', 'wrong horse')).toMatchObject({
      status: 401,
      body: { detail: 'Incorrect username or password' },
    });
    expect((await nobody.ask('GET', '/auth/me')).status).toBe(401);
    for (const name of ['ann', 'ann@example.org'])
      expect(await nobody.signIn(name)).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    expect(await nobody.ask('GET', '/auth/me')).toMatchObject({ status: 200, body: { username: 'ann' } });
  });
});

describe('genesis-chat conversations', () => {
  test('3 the latest one is first, bad titles are 422, and foreign or deleted ones are 404 alike', async () => {
    const older = ann.conversationId;
    await ann.startConversation();
    const newer = ann.conversationId;
    ann.conversationId = older;
    await ask('hello', say('Hello.'));
    const list = (await ann.ask<{ id: string }[]>('GET', '/conversations?skip=0&limit=100')).body;
    expect(list.slice(0, 2).map(({ id }) => id)).toEqual([older, newer]);
    const json = { title: 'x'.repeat(201) };
    expect((await ann.ask('POST', '/conversations', { json })).status).toBe(422);
    const bob = new GenesisFrontEnd(standalone.url);
    await bob.register('bob');
    await bob.signIn('bob');
    const [foreign, unknown] = [older, 'conv_unknown'].map((id) =>
      bob.ask<Record<string, unknown>>('GET', `/conversations/${id}`),
    );
    const bodies = [(await foreign!).body, (await unknown!).body].map(({ request_id: _, ...body }) => body);
    expect(bodies[0]).toEqual(bodies[1]);
    expect((await foreign!).status).toBe(404);
    expect((await ann.ask('DELETE', `/conversations/${older}`)).status).toBe(204);
    expect((await ann.ask('GET', `/conversations/${older}`)).status).toBe(404);
  });

  test('4 New Chat remains the title after a turn without PATCH', async () => {
    await ask('hello', say('Hello.'));
    const { body } = await ann.ask<{ title: string }>('GET', `/conversations/${ann.conversationId}`);
    expect(body.title).toBe('New Chat');
  });
});

describe('the genesis-chat socket', () => {
  test('5 a bad token is refused with 403, and no connection opens', async () => {
    await expect(GenesisClient.open(standalone.url, { token: `${ann.token}x` })).rejects.toMatchObject({
      status: 403,
      wasOpen: false,
    });
  });

  test('6 a ping is answered while a tool runs', async () => {
    const name = `ping-${++holds}`;
    provider.answer(useTools(['t1', 'gate__hold', { name }]), say('Held.'));
    await ann.send('hold');
    await Promise.all([gates.started(name), ann.socket.next('tool_start')]);
    ann.socket.sendRaw('{"type":"ping"}');
    await ann.socket.next('pong');
    expect(ann.socket.types).toEqual(['tool_start']);
    gates.open(name);
    await ann.answered();
  });

  test('7 5 × 3 is a card, its result, tokens, and complete', async () => {
    await ask('5 times 3?', useTools(['t1', 'math__multiply', { a: 5, b: 3 }]), say('It is ', '15.'));
    const [start] = ann.socket.of('tool_start');
    expect(start).toMatchObject({ tool_name: 'multiply', source: 'local', tool_args: { a: 5, b: 3 } });
    expect(JSON.parse(start!.tool_input)).toEqual(start!.tool_args);
    expect(ann.socket.of('tool_complete')).toMatchObject([
      { tool_name: 'multiply', tool_result: '15', tool_output: '15', source: 'local', status: 'success' },
    ]);
    expect([...new Set(ann.socket.types)]).toEqual(['tool_start', 'tool_complete', 'token', 'complete']);
    expect(ann.socket.text).toBe('It is 15.');
  });

  test('8 complete names the last message', async () => {
    await ask('5 times 3?', useTools(['t1', 'math__multiply', { a: 5, b: 3 }]), say('It is 15.'));
    expect(ann.socket.of('complete')).toMatchObject([
      { message_id: (await ann.messages()).at(-1)!.id, conversation_id: ann.conversationId },
    ]);
  });

  test('9 two calls at once are two cards one after the other, though the second ends first', async () => {
    const [a, b] = [`a-${++holds}`, `b-${holds}`];
    const call = (id: string, name: string) => [id, 'gate__hold', { name }] as [string, string, object];
    provider.answer(useTools(call('t1', a) as never, call('t2', b) as never), say('Held both.'));
    await ann.send('hold both');
    await Promise.all([gates.started(a), gates.started(b)]);
    gates.open(b);
    const ended = async () => {
      const { body } = await ann.ask<{ turns: { steps: { calls: { state: string }[] }[] }[] }>(
        'GET',
        `/conversations/${ann.conversationId}/turns`,
      );
      return body.turns[0]!.steps[0]!.calls.some(({ state }) => state === 'succeeded');
    };
    await waitFor(ended, { what: 'the end of one call' });
    expect(ann.cards.length).toBe(1);
    gates.open(a);
    await ann.answered();
    const frames = ann.socket.types.filter((type) => type.startsWith('tool_'));
    expect(frames).toEqual(['tool_start', 'tool_complete', 'tool_start', 'tool_complete']);
    expect(ann.cards.every(({ isOpen }) => !isOpen)).toBe(true);
    const of = (type: 'tool_start' | 'tool_complete') =>
      ann.socket.of(type).map(({ tool_call_id }) => tool_call_id);
    expect(of('tool_start')).toEqual(of('tool_complete'));
    expect(ann.cards.map(({ text }) => text).toSorted()).toEqual([`held ${a}`, `held ${b}`]);
  });

  test('10 a failing tool closes its card with the error, and the turn continues', async () => {
    await ask(
      'search',
      useTools(['t1', 'knowledge__rag_search', { query: ' ' }]),
      say('Nothing to search for.'),
    );
    expect(ann.socket.of('tool_complete')).toMatchObject([
      { tool_result: 'Error: Invalid query: Query cannot be empty', status: 'failure' },
    ]);
    expect(ann.socket.of('tool_error')).toMatchObject([
      { tool_name: 'rag_search', error_message: 'Invalid query: Query cannot be empty' },
    ]);
    const types = ann.socket.types.filter((type) => type !== 'token');
    expect(types).toEqual(['tool_start', 'tool_complete', 'tool_error', 'complete']);
    expect(ann.socket.of('complete')).toMatchObject([{ status: 'completed' }]);
  });

  test('11 a model failure is an error, one token, complete, and the next message works', async () => {
    await ask('hello', { status: 400, message: 'the model is unwell' });
    expect(ann.socket.types).toEqual(['error', 'token', 'complete']);
    expect(ann.socket.of('error')).toMatchObject([{ code: 'LLM_ERROR' }]);
    expect(ann.socket.of('complete')).toMatchObject([{ status: 'failed' }]);
    await ask('hello again', say('Here I am.'));
    expect(ann.shown.at(-1)).toBe('Here I am.');
  });

  test('12 a foreign conversation is ACCESS_DENIED, an invalid frame INVALID_FORMAT, and the socket stays open', async () => {
    ann.socket.say('conv_somebody_elses', 'hello');
    expect(await ann.socket.next('error')).toMatchObject({ code: 'ACCESS_DENIED' });
    ann.socket.sendRaw('not json');
    expect(await ann.socket.next('error', 2)).toMatchObject({ code: 'INVALID_FORMAT' });
    await ask('hello', say('Hello.'));
    expect(ann.socket.closed).toBeUndefined();
  });

  test('13 there are no other types, and the tokens contain the shown texts in order', async () => {
    const words = useTools(['t1', 'math__add', { a: 1, b: 2 }]);
    words.content.unshift({ type: 'text', chunks: ['Let me ', 'add.'] });
    await ask('1 + 2?', words, say('It is ', '3.'));
    expect(ann.socket.types.filter((type) => !TYPES.includes(type))).toEqual([]);
    let from = 0;
    const texts = (await ann.messages()).filter(({ role }) => role === 'assistant');
    expect(texts).toHaveLength(2);
    for (const { content } of texts) {
      const at = ann.socket.text.indexOf(content, from);
      expect(at).toBeGreaterThanOrEqual(from);
      from = at + content.length;
    }
    expect(ann.socket.text).toBe('Let me add.\n\nIt is 3.');
  });

  test('14 messages are of user and assistant, the same twice, and of one tool on request', async () => {
    await ask('5 times 3?', useTools(['t1', 'math__multiply', { a: 5, b: 3 }]), say('It is 15.'));
    const messages = await ann.messages();
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(JSON.stringify(await ann.messages())).toBe(JSON.stringify(messages));
    const tools = (await ann.messages('?include=tools')).filter(({ role }) => role === 'tool');
    expect(tools).toMatchObject([
      { content: '15', metadata: { tool_name: 'multiply', source: 'local', status: 'success' } },
    ]);
  });

  test('15 a socket that breaks off in the middle is continued by the next one', async () => {
    const { until, open } = gate();
    provider.answer({
      content: [
        { type: 'text', chunks: ['Once upon '] },
        { type: 'hold', until },
        { type: 'text', chunks: ['a time.'] },
      ],
    });
    await ann.send('a story');
    await ann.socket.next('token');
    ann.socket.cut();
    ann.streamed = '';
    await ann.connect();
    await ann.socket.next('token');
    open();
    await ann.answered();
    expect(ann.socket.text).toBe('Once upon a time.');
    expect(ann.socket.types.at(-1)).toBe('complete');
  });

  test('16 a second tab gets nothing of the first one’s turn', async () => {
    const tab = await GenesisClient.open(standalone.url, { token: ann.token });
    await ask('hello', say('Hello.'));
    tab.sendRaw('{"type":"ping"}');
    await tab.next('pong');
    expect(tab.frames).toEqual([{ type: 'pong' }]);
    tab.close();
  });
});

test('17 GET /api/tools returns local tools by bare names and MCP tools by their server', async () => {
  const { body } = await ann.ask<{ tools: { name: string; source: string; parameters: unknown[] }[] }>(
    'GET',
    '/tools',
  );
  const named = (name: string) => body.tools.find((tool) => tool.name === name);
  for (const name of ['add', 'multiply', 'web_search', 'rag_search'])
    expect(named(name)).toMatchObject({ source: 'local' });
  expect(named('add')!.parameters).toMatchObject([
    { name: 'a', type: 'integer', required: true },
    { name: 'b', type: 'integer', required: true },
  ]);
  const mcp = body.tools.filter(({ source }) => source === 'mcp').map(({ name }) => name);
  expect(mcp).toEqual(['mcp:gate:hold']);
});

test('18 the front end registers, chats, shows a closed card with the MCP badge, renames, reloads, deletes', async () => {
  const name = `card-${++holds}`;
  gates.open(name);
  const page = new GenesisFrontEnd(standalone.url);
  expect((await page.register('dora')).status).toBe(201);
  expect((await page.signIn('dora')).status).toBe(200);
  expect((await page.ask('GET', '/auth/me')).status).toBe(200);
  await page.startConversation();
  await page.connect();
  provider.answer(useTools(['t1', 'gate__hold', { name }]), say('It was held.'));
  await page.send('hold this for me', { isRenaming: true });
  await page.answered();
  expect(page.cards).toEqual([{ name: 'mcp:gate:hold', source: 'mcp', isOpen: false, text: `held ${name}` }]);
  expect(page.shown).toEqual(['It was held.']);
  page.socket.close();

  const reloaded = new GenesisFrontEnd(standalone.url);
  reloaded.token = page.token;
  const list = await reloaded.ask<{ id: string; title: string }[]>('GET', '/conversations?skip=0&limit=100');
  expect(list.body).toMatchObject([{ id: page.conversationId, title: 'hold this for me' }]);
  reloaded.conversationId = page.conversationId;
  await reloaded.connect();
  expect((await reloaded.messages()).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'hold this for me'],
    ['assistant', 'It was held.'],
  ]);
  expect((await reloaded.ask('DELETE', `/conversations/${page.conversationId}`)).status).toBe(204);
  expect((await reloaded.ask<unknown[]>('GET', '/conversations')).body).toEqual([]);
  expect(reloaded.socket.frames).toEqual([]);
  reloaded.socket.close();
});
