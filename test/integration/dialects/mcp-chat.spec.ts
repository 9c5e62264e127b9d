import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMessage } from '#contracts';
import { systemTime } from '#time';
import { readGolden } from '../../contracts/golden.js';
import { McpChatClient, readNaively, readStrictly } from '../../e2e/mcp-chat-client.js';
import { waitFor } from '../../services/wait-for.js';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';
import { openRaw } from './raw-http.js';

let harness: Harness;
let client: McpChatClient;
beforeAll(async () => {
  harness = await startHarness();
  client = new McpChatClient(harness.url);
  const toolsets = [
    announcedToolset('math', [announcedTool('math', 'add', 'Adds.')]),
    announcedToolset('Odd server', [announcedTool('Odd server', 'get-it', '')], '1.0.0', 'mcp'),
  ];
  const worker = 'worker-00000000-0000-4000-8000-000000000003';
  await harness.driver.send(
    'gateway.all',
    newMessage(systemTime(), 'catalog.announce', { worker, toolsets }),
  );
  const servers = async () => (await client.request<object[]>('GET', '/servers')).body;
  await waitFor(async () => (await servers()).length === 2, { what: 'the servers' });
});
afterAll(() => harness.stop());

const taken = (response: Response) => PlayedTurn.take(harness, response.headers.get('x-turn-id')!);
const stream = (message: string, session = 'default') =>
  new McpChatClient(harness.url, { 'X-Session-Id': session }).fetch('POST', '/chat/stream', { message });

/** The newest turn of a session's conversation, for requests that answer when it has ended. */
async function begun(content: string): Promise<PlayedTurn> {
  const turns = await waitFor(
    async () => {
      const unended = await harness.store.listUnendedTurnsOf('local');
      return unended.find((turn) => turn.content === content);
    },
    { what: `the turn ${content}` },
  );
  return PlayedTurn.take(harness, turns._id);
}

/** One call, then an answer. */
async function playWithCall(played: PlayedTurn, callId: string): Promise<void> {
  const call = addCall(callId);
  await played.start();
  played.beginStep(1);
  played.token(1, 'Let me look.');
  await played.commit(1, 'Let me look.', [call]);
  await played.claim(call.tool_call_id, 'worker-1');
  const end = await played.settle(call, 1, 3);
  played.emit(end);
  played.beginStep(2, [end]);
  const answer = 'It is 3, which is what one and two have always been, as far as anybody knows.';
  played.token(2, answer);
  played.complete(await played.commit(2, answer));
}

describe('the mcp-chat wire format', () => {
  it('has the pinned fields', async () => {
    const server = await client.connect('math');
    const status = await client.request<object>('GET', '/status');
    const response = await stream('what is 1 + 2?');
    await playWithCall(await taken(response), 'A');
    const answering = client.chat('and 1 + 2 again?');
    await playWithCall(await begun('and 1 + 2 again?'), 'B');
    const pinned = {
      servers: (await client.request<object>('GET', '/servers')).body,
      connect: server.body,
      status: status.body,
      stream: (await readStrictly(response)).raw.split('\n\n'),
      chat: (await answering).body,
      disconnect: (await client.request<object>('POST', '/disconnect')).body,
      disconnected: (await client.request<object>('GET', '/status')).body,
      error: (await client.connect('nope')).body,
    };
    if (process.env.UPDATE_GOLDEN === '1') {
      const file = join(import.meta.dirname, '../../contracts/golden/dialects/mcp-chat-sse.json');
      writeFileSync(file, `${JSON.stringify(pinned, null, 2)}\n`);
    }
    expect(pinned).toEqual(readGolden('dialects/mcp-chat-sse'));
  });

  it('is readable for a client that treats each chunk as whole events', async () => {
    const response = await stream('a long answer');
    const text = 'A sentence with some words, and an emoji 😀 or two 🚂. '.repeat(1_500);
    await (await taken(response)).answer(text);
    const read = await readNaively(response);
    expect(read.text).toBe(text);
    expect(read.types.at(-1)).toBe('[DONE]');
  });

  it('has one HTTP chunk for each event', async () => {
    const raw = openRaw(harness.url, '/chat/stream', { message: 'count the chunks' }).whole;
    await (await begun('count the chunks')).answer('word '.repeat(100));
    const body = (await raw).slice((await raw).indexOf('\r\n\r\n') + 4);
    const chunks = body.split('\r\n').filter((_, index) => index % 2 === 1);
    expect(chunks.filter((chunk) => chunk !== '')).toHaveLength(Math.ceil(500 / 60) + 1);
    for (const chunk of chunks) expect(chunk).toMatch(/^(data: [^\n]+\n\n)?$/);
  });

  it('has the headers that proxies and browsers need, at once', async () => {
    const response = await stream('hello');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-conversation-id': expect.stringMatching(/^conv_/),
      'x-turn-id': expect.stringMatching(/^turn_/),
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    await (await taken(response)).answer('Hello.');
    await response.text();
  });
});

describe('a turn of the implicit conversation', () => {
  it('offers the tools of the selected server, and none if it does not exist', async () => {
    const session = new McpChatClient(harness.url, { 'X-Session-Id': 'tools' });
    const optionsOf = async () => {
      const response = await session.fetch('POST', '/chat/stream', { message: 'which tools?' });
      const played = await taken(response);
      await played.answer('These.');
      await response.text();
      return played.turn.options;
    };
    expect(await optionsOf()).toEqual({ tools: { allow: [] } });
    await session.connect('math');
    expect(await optionsOf()).toEqual({ tools: { allow: ['mcp:math'] } });
  });

  it('starts another conversation after another server, a disconnect or a deletion, and only then', async () => {
    const session = new McpChatClient(harness.url, { 'X-Session-Id': 'moves' });
    const { body } = await session.request<{ id: string; name: string }[]>('GET', '/servers');
    const odd = body.find(({ name }) => name === 'Odd server')!;
    const place = async () => {
      const response = await session.fetch('POST', '/chat/stream', { message: 'where?' });
      await (await taken(response)).answer('Here.');
      await response.text();
      return response.headers.get('x-conversation-id')!;
    };
    const places = [await place()];
    for (const [action, isNew] of [
      ['/connect/math', true],
      ['/connect/math', false],
      [`/connect/${odd.id}`, true],
      ['/connect/nope', false],
      ['/disconnect', false],
      ['/disconnect', false],
      [`/connect/${odd.id}`, true],
    ] as const) {
      await session.request('POST', action);
      places.push(await place());
      expect([action, places.at(-1) !== places.at(-2)]).toEqual([action, isNew]);
    }
    await session.request('DELETE', `/api/conversations/${places.at(-1)}`);
    places.push(await place());
    expect(new Set(places).size).toBe(5);
    expect(await place()).toBe(places.at(-1));
  });

  it('begins the same conversation for two simultaneous first messages', async () => {
    const responses = await Promise.all([stream('first?', 'twins'), stream('second?', 'twins')]);
    const places = responses.map((response) => response.headers.get('x-conversation-id'));
    expect(places[0]).toBe(places[1]);
    for (const response of responses) {
      await (await taken(response)).answer('Yes.');
      expect((await readStrictly(response)).text).toBe('Yes.');
    }
  });
});
