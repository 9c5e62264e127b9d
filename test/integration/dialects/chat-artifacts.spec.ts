import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { assertTranscript } from '#turn';
import { gate } from '../../e2e/scripted-provider.js';
import { waitFor } from '../../services/wait-for.js';
import { answerOf, artifactsOf, chat, contents, linesOf, statuses, type Line } from './artifact-lines.js';
import { DialectSystem } from './dialect-system.js';
import { givingToolsets, LONG } from './giving-toolsets.js';
import { playedModel, requestsOf, type Play } from './played-model.js';

/* `chat-artifacts-ndjson` §8, line by line; 13, 14 and 17 have files of their own. */

const model = playedModel();
const gates = new Map<string, Promise<void>>();
let system: DialectSystem;
beforeAll(async () => {
  system = await DialectSystem.start({
    model,
    hosts: givingToolsets(gates),
    settings: { model: 'test/default', providers: [{ provider: 'openai', model: 'openai/gpt-6' }] },
  });
});
afterAll(() => system.close());

const play = (what: Play, body: object = {}, path?: string) =>
  chat(system, { message: JSON.stringify(what), ...body }, path);
const give = (value: object, at?: string): [string, object] => [
  'x__give',
  { json: JSON.stringify(value), ...(at ? { gate: at } : {}) },
];
const last = (lines: Line[]) => lines.at(-1)!;

it('1 every line parses, the first is a status, and the last says that the response is complete', async () => {
  const { lines, response } = await play({
    steps: [
      [
        ['y__a', {}],
        ['x__fail', {}],
      ],
    ],
    say: 'Hi.',
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(last(lines)).toMatchObject({ type: 'status', message: 'Response complete', final: true });
  expect(statuses(lines).slice(0, 2)).toEqual(['Processing request...', 'Using model provider: anthropic']);
  expect(statuses(lines)).toEqual(
    expect.arrayContaining([
      'Executing tool: a...',
      'Tool a: Executed successfully',
      `Tool fail: Error occurred - It is broken. ${'x'.repeat(86)}...`,
      'Getting formatted response from anthropic...',
    ]),
  );
  const accepted = await system.post(
    '/api/chat-artifacts',
    { message: '{}' },
    { accept: 'application/x-ndjson' },
  );
  expect(accepted.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
  await accepted.text();
});

it('2 the status names an unavailable provider as requested, and the default model answers', async () => {
  const what: Play = { say: 'From ollama.' };
  const { lines } = await play(what, { modelProvider: 'ollama' });
  expect(statuses(lines)).toContain('Using model provider: ollama');
  expect(answerOf(lines)).toBe('From ollama.');
  expect(last(lines).final).toBe(true);
  expect(new Set(requestsOf(model.requests, what).map((request) => request.model))).toEqual(
    new Set(['test/default']),
  );
});

it('3 chat-artifacts has no result event; chat has one, last, with a string as conversation', async () => {
  const artifact = { type: 'text/markdown', title: 'A', content: '# A' };
  const what: Play = {
    format: [
      { type: 'text', content: 'See:' },
      { type: 'artifact', artifact },
    ],
    thinking: 'Two parts.',
  };
  const { lines } = await play(what);
  expect(lines.some(({ type }) => type === 'result')).toBe(false);
  const whole = (await play(what, {}, '/api/chat')).lines;
  expect(whole.slice(0, -1).every(({ type }) => type === 'status')).toBe(true);
  const { type, response } = last(whole);
  expect(type).toBe('result');
  const [sent] = response!.artifacts!;
  expect(sent).toMatchObject({ ...artifact, position: 0, artifactId: sent!.id });
  expect(response!.thinking).toBe('Two parts.');
  expect(response!.conversation).toMatch(/^See:\n\n<button class="artifact-button".*📎 A<\/button>$/);
});

it('4 each artifact is followed by a button of one line with its id, and the contents are the answer', async () => {
  const code = { type: 'application/vnd.ant.code', title: 'Sum', content: 'a + b', language: 'ts' };
  const page = { type: 'text/html', title: 'Page', content: '<p>' };
  const { lines } = await play({
    steps: [[give({ artifacts: [{ type: 'text/markdown', title: 'Notes', content: 'n' }] })]],
    format: [
      { type: 'text', content: 'Here.' },
      { type: 'artifact', artifact: code },
      { type: 'artifact', artifact: page },
      { type: 'text', content: 'So.' },
    ],
  });
  const buttons = lines.flatMap((line, i) => {
    if (line.type !== 'artifact') return [];
    const { id, type, title } = line.artifact!;
    const button = `<button class="artifact-button" data-artifact-id="${id}" data-artifact-type="${type}">📎 ${title}</button>`;
    expect(lines[i + 1]).toMatchObject({ type: 'content', content: button });
    return [button];
  });
  expect(artifactsOf(lines).map(({ type, position }) => [type, position])).toEqual([
    ['code', 0],
    ['html', 1],
    ['text/markdown', 2],
  ]);
  expect(new Set(artifactsOf(lines).map(({ id }) => id)).size).toBe(3);
  expect(answerOf(lines)).toBe(['Here.', buttons[0], buttons[1], 'So.', buttons[2]].join('\n\n'));
});

it('5 a history that ends with the message: the model reads that once, after what was said before', async () => {
  const what: Play = { say: 'Fine.' };
  const message = JSON.stringify(what);
  await play(what, {
    history: [
      { role: 'user', content: 'Earlier question' },
      { role: 'assistant', content: 'Earlier answer' },
      { role: 'assistant', content: '_Status: Executing tool: a..._' },
      { role: 'user', content: message },
    ],
  });
  const [first] = requestsOf(model.requests, what).slice(-2);
  expect(JSON.stringify(first!.messages).split(JSON.stringify(message)).length - 1).toBe(1);
  expect(
    first!.messages.map(({ role, content }) => [role, content.map((item) => 'text' in item && item.text)]),
  ).toEqual([
    ['user', ['Earlier question']],
    ['assistant', ['Earlier answer']],
    ['user', [message]],
  ]);
});

it('6 every call has its result in the next user message, and no assistant message has any', async () => {
  const marks = ['MARK-1', 'MARK-2', 'MARK-3'];
  const what: Play = {
    steps: [
      [give({ text: marks[0] }), give({ text: marks[1] })],
      [give({ text: marks[2] }), ['x__fail', {}], ['no__such', {}]],
    ],
  };
  await play(what);
  const requests = requestsOf(model.requests, what);
  expect(requests).toHaveLength(4);
  for (const { messages } of requests) {
    assertTranscript(messages);
    for (const { role, content } of messages) {
      if (role !== 'assistant') continue;
      const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      expect(marks.some((mark) => texts.join().includes(mark))).toBe(false);
    }
  }
  const results = requests
    .at(-1)!
    .messages.flatMap(({ content }) =>
      content.flatMap((item) =>
        item.type === 'tool_result' ? [[item.is_error, item.text.split(':')[0]]] : [],
      ),
    );
  expect(results).toEqual([
    [false, 'MARK-1'],
    [false, 'MARK-2'],
    [false, 'MARK-3'],
    [true, 'ToolExecutionError'],
    [true, 'ToolNotFound'],
  ]);
});

describe('7 blocked servers and tools are not offered', () => {
  const offered = async (body: object, path?: string) => {
    const what: Play = { say: `Offer ${JSON.stringify(body)} ${path}` };
    await play(what, body, path);
    return requestsOf(model.requests, what)[0]!.tools.map(({ name }) => name);
  };
  const all = ['x__count', 'x__fail', 'x__give', 'y__a', 'y__b'];

  it.each([
    [{}, all],
    [{ blockedServers: ['x'] }, ['y__a', 'y__b']],
    [{ blockedServers: ['X', 'x.give', 'nobody'] }, all],
    [{ enabledTools: { y: ['a'] } }, ['x__count', 'x__fail', 'x__give', 'y__a']],
    [{ enabledTools: { y: [] } }, ['x__count', 'x__fail', 'x__give']],
    [{ enabledTools: { x: ['give'], y: ['a', 'b'] }, blockedServers: ['x'] }, ['y__a', 'y__b']],
  ])('with %j', async (body, expected) => {
    expect(await offered(body)).toEqual(expected);
  });

  it('in that turn only', async () => {
    const conversationId = 'seven';
    expect(await offered({ conversationId, blockedServers: ['x', 'y'] })).toEqual([]);
    expect(await offered({ conversationId })).toEqual(all);
  });

  it('at all for chat-basic', async () => {
    expect(await offered({}, '/api/chat-basic')).toEqual([]);
  });
});

describe('8 a forced call follows the loop', () => {
  it('with the catalogue and a last user message, and no call stays unanswered', async () => {
    const what: Play = { steps: [[['y__a', {}]]], say: 'Eight.' };
    await play(what, { conversationId: 'eight' });
    const requests = requestsOf(model.requests, what);
    expect(requests.map(({ tool_choice }) => tool_choice?.name)).toEqual([
      undefined,
      undefined,
      'response_formatter',
    ]);
    const forced = requests.at(-1)!;
    expect(forced.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['y__a', 'y__b', 'x__give', 'response_formatter']),
    );
    expect(forced.messages.at(-1)!.role).toBe('user');
    const next: Play = { say: 'After eight.' };
    await play(next, { conversationId: 'eight' });
    const { messages } = requestsOf(model.requests, next)[0]!;
    expect(JSON.stringify(messages)).not.toContain('response_formatter');
    expect(JSON.stringify(messages).split('Eight.').length - 1).toBe(2);
  });

  it.each([
    ['a string', { format: 'Just text.' }],
    ['a list as JSON', { format: '[{"type":"text","content":"Just text."}]' }],
    ['plain text', { plain: 'Just text.' }],
    ['something unreadable, twice', { format: [{ type: 'artifact' }], say: 'Just text.' }],
  ])('of which %s still gives the answer', async (_what, what: Play) => {
    const { lines } = await play(what);
    expect(answerOf(lines)).toBe('Just text.');
    expect(last(lines).final).toBe(true);
  });
});

describe('9 an endless loop of calls', () => {
  it.each<[string, Play, number, number]>([
    ['other calls all the time', { counting: 'x__count' }, 5, 5],
    ['the same call all the time', { endless: [['y__a', {}]] }, 3, 2],
  ])('of %s is stopped, and an answer is given', async (_what, what, steps, ran) => {
    const { lines } = await play({ ...what, format: 'So far.' });
    const texts = statuses(lines);
    expect(texts.filter((text) => text.startsWith('Executing tool'))).toHaveLength(steps);
    expect(texts.filter((text) => text.endsWith('Executed successfully'))).toHaveLength(ran);
    expect(answerOf(lines)).toBe('So far.');
  });
});

const GRAPH = 'application/vnd.knowledge-graph';
const graph = (node: string, evidence: string[]) => ({
  artifacts: [
    {
      type: GRAPH,
      title: node,
      content: {
        nodes: [{ id: 'shared' }, { id: node }],
        links: [{ source: 'shared', target: 'shared', label: 'is', evidence }],
      },
    },
  ],
});

it.each(['first', 'second'])('10 two graphs are merged, with the %s call ending last', async (late) => {
  const held = gate();
  gates.set(`late ${late}`, held.until);
  const at = (name: string) => (name === late ? `late ${late}` : undefined);
  const what: Play = {
    steps: [[give(graph('one', ['1']), at('first')), give(graph('two', ['2']), at('second'))]],
  };
  const response = await system.post('/api/chat-artifacts', {
    message: JSON.stringify(what),
    pinnedArtifacts: [
      { id: 'p', type: GRAPH, title: 'Mine', content: { nodes: [{ id: 'pinned' }], links: [] } },
    ],
  });
  const turnId = response.headers.get('x-turn-id')!;
  const { store } = system.fleet;
  await waitFor(async () => (await store.listOutcomes([turnId])).length === 1, {
    what: 'the other call ends',
  });
  held.open();
  const lines = linesOf(await response.text());
  expect(artifactsOf(lines)).toHaveLength(1);
  const [{ type, title, content }] = artifactsOf(lines) as [NonNullable<Line['artifact']>];
  expect([type, title]).toEqual([GRAPH, 'Knowledge Graph']);
  expect(JSON.parse(content)).toEqual({
    nodes: [{ id: 'pinned' }, { id: 'shared' }, { id: 'one' }, { id: 'two' }],
    links: [{ source: 'shared', target: 'shared', label: 'is', evidence: ['1', '2'] }],
  });
});

it('11 the same artifact from two calls is sent once; of ten references two are the same', async () => {
  const artifacts = [{ type: 'text/markdown', title: 'A', content: 'a' }];
  const references = Array.from({ length: 10 }, (_, i) => ({
    pmid: String(i === 9 ? 0 : i),
    title: `T${i}`,
  }));
  const { lines } = await play({
    steps: [
      [give({ artifacts, bibliography: references.slice(0, 5) })],
      [give({ artifacts, structured: { bibliography: references.slice(5) } })],
    ],
  });
  expect(artifactsOf(lines).map(({ type, title }) => [type, title])).toEqual([
    ['text/markdown', 'A'],
    ['application/vnd.bibliography', 'Bibliography'],
  ]);
  expect(JSON.parse(artifactsOf(lines)[1]!.content)).toHaveLength(9);
});

it('11 output too long for a result is still collected', async () => {
  const artifacts = [{ type: 'text/markdown', title: 'Long', content: LONG }];
  const { lines } = await play({ steps: [[give({ artifacts })]] });
  expect(artifactsOf(lines)[0]!.content).toHaveLength(100_000);
});

it('12 a failing model causes readable content, an error and the end', async () => {
  const { lines } = await play({ fail: 'There is no credit left.' });
  expect(lines.slice(-2).map(({ type }) => type)).toEqual(['content', 'error']);
  expect(contents(lines)).toEqual([expect.stringContaining('There is no credit left.')]);
  expect(statuses(lines)).not.toContain('Response complete');
  const whole = (await play({ fail: 'No credit.' }, {}, '/api/chat')).lines;
  expect(whole.slice(-2).map(({ type }) => type)).toEqual(['result', 'error']);
  expect(whole.at(-2)!.response!.conversation).toContain('No credit.');
});

it('12 a store outage at the end causes readable content, an error and the end', async () => {
  const { store } = system.fleet;
  const { getArtifact } = store;
  store.getArtifact = () => Promise.reject(new StoreUnavailableError('mongodb://user:secret@host'));
  try {
    const artifacts = [{ type: 'text/markdown', title: 'Long', content: LONG }];
    const { lines } = await play({ steps: [[give({ artifacts })]] });
    expect(lines.slice(-2).map(({ type }) => type)).toEqual(['content', 'error']);
    expect(contents(lines)).toEqual(['The store cannot be reached. Try again.']);
  } finally {
    store.getArtifact = getArtifact;
  }
});

it('15 two requests at once keep their own providers and filters', async () => {
  const [one, two]: [Play, Play] = [{ say: 'One of two.' }, { say: 'Two of two.' }];
  const both = await Promise.all([
    play(one, { modelProvider: 'openai', blockedServers: ['x'], temperature: 0.7, maxTokens: 100 }),
    play(two, { modelProvider: 'claude', enabledTools: { y: ['b'] } }),
  ]);
  expect(both.map(({ lines }) => [statuses(lines)[1], answerOf(lines)])).toEqual([
    ['Using model provider: openai', 'One of two.'],
    ['Using model provider: claude', 'Two of two.'],
  ]);
  const asked = (what: Play) => requestsOf(model.requests, what)[0]!;
  const names = (what: Play) => asked(what).tools.map(({ name }) => name);
  expect([asked(one).model, asked(two).model]).toEqual(['openai/gpt-6', 'test/default']);
  expect([names(one), names(two)]).toEqual([
    ['y__a', 'y__b'],
    ['x__count', 'x__fail', 'x__give', 'y__b'],
  ]);
  expect([asked(one).temperature, asked(one).max_output_tokens]).toEqual([0.7, 100]);
  expect([asked(two).temperature, asked(two).max_output_tokens]).toEqual([0.2, 4000]);
});

describe('16 requests', () => {
  it.each([
    ['{}', 400],
    ['{"message":"  "}', 400],
    ['{"message":5}', 400],
    ['{', 400],
    ['{"message":"x","history":5}', 400],
  ])('%s is answered by %s and an error', async (body, status) => {
    for (const path of ['/api/chat-artifacts', '/api/chat', '/api/chat-basic']) {
      const response = await system.post(path, body);
      expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String) }]);
    }
  });

  it('of another type or method, or for an unsupported feature, are errors', async () => {
    const typed = await system.post('/api/chat', 'hello', { 'content-type': 'text/plain' });
    expect([typed.status, await typed.json()]).toEqual([400, { error: expect.any(String) }]);
    for (const path of [
      '/api/chat',
      '/api/storage/files/1',
      '/api/mcp-execute',
      '/api/graph/x',
      '/api/chat/x',
    ]) {
      const response = await fetch(system.url + path);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        { error: expect.any(String) },
      ]);
    }
  });

  it('for an unsupported feature are refused, regardless of their body', async () => {
    for (const path of ['/api/storage/upload', '/api/mcp-execute', '/api/graph/x'])
      for (const headers of [{ 'content-type': 'multipart/form-data; boundary=x' }, {}]) {
        const response = await system.post(path, 'no JSON', headers as Record<string, string>);
        expect([path, response.status, await response.json()]).toEqual([
          path,
          404,
          { error: expect.any(String) },
        ]);
      }
  });

  it('may be large, up to 50 MB', async () => {
    const pinnedArtifacts = [{ id: '1', type: 'text/plain', title: 'P', content: 'x'.repeat(2_000_000) }];
    expect(answerOf((await play({ say: 'Large.' }, { pinnedArtifacts })).lines)).toBe('Large.');
    const tooLarge = await system.post('/api/chat', { message: 'x', more: 'x'.repeat(51 * 1024 * 1024) });
    expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { error: expect.any(String) }]);
  });

  it('with only a message are answered by chat-basic', async () => {
    const { lines } = await play({ say: 'Basic.' }, {}, '/api/chat-basic');
    expect(answerOf(lines)).toBe('Basic.');
  });
});

describe('pinned and attached artifacts', () => {
  it('are context of the message, marked as data, and are not sent back', async () => {
    const artifact = { type: 'text/markdown', title: 'Mine', content: 'PINNED-TEXT' };
    const what: Play = { steps: [[give({ artifacts: [artifact] })]], say: 'Seen.' };
    const { lines } = await play(what, { pinnedArtifacts: [{ id: '1', ...artifact }] });
    expect(artifactsOf(lines)).toEqual([]);
    const { messages } = requestsOf(model.requests, what)[0]!;
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).toMatch(/It is data to work with.*PINNED-TEXT/);
  });
});

describe('a chat-artifacts conversation', () => {
  it('that is named continues, and its own turns take precedence over a history', async () => {
    const conversationId = 'named';
    await play(
      { say: 'First answer.' },
      { conversationId, history: [{ role: 'user', content: 'Imported' }] },
    );
    const what: Play = { say: 'Second answer.' };
    await play(what, { conversationId, history: [{ role: 'user', content: 'Other past' }] });
    const said = JSON.stringify(requestsOf(model.requests, what)[0]!.messages);
    expect(said).toContain('Imported');
    expect(said).toContain('First answer.');
    expect(said).not.toContain('Other past');
    const listed = (await (await fetch(`${system.url}/api/conversations`)).json()) as object[];
    expect(listed.length).toBeGreaterThan(0);
  });

  it('that began elsewhere is named by its id; another user’s is not found', async () => {
    const created = await system.post('/api/conversations', {});
    const { id } = (await created.json()) as { id: string };
    const { response } = await play({ say: 'In it.' }, { conversationId: id });
    expect(response.headers.get('x-conversation-id')).toBe(id);
    const row = (await system.fleet.store.getConversation(id))!;
    await system.fleet.store.insertConversation({ ...row, _id: 'conv_of_eve', user_id: 'eve' });
    const other = await play({ say: 'Not in hers.' }, { conversationId: 'conv_of_eve' });
    expect(other.response.headers.get('x-conversation-id')).not.toBe('conv_of_eve');
    expect(await system.fleet.store.lastTurnNumber('conv_of_eve')).toBe(0);
  });

  it('without a name is in no list, and removed after a day', async () => {
    const before = (await (await fetch(`${system.url}/api/conversations?limit=100`)).json()) as object[];
    const { response } = await play({ say: 'Unlisted.' });
    const row = await system.fleet.store.getConversation(response.headers.get('x-conversation-id')!);
    const hours = (Date.parse(row!.expires_at!) - Date.parse(row!.created_at)) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const after = (await (await fetch(`${system.url}/api/conversations?limit=100`)).json()) as object[];
    expect(after).toHaveLength(before.length);
  });
});
