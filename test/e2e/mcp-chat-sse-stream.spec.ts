import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { readNaively, readStrictly } from './mcp-chat-client.js';
import { McpChatSystem } from './mcp-chat-system.js';
import type { ScriptedProvider } from './scripted-provider.js';

/* The acceptance list of mcp-chat-sse by number: what one stream is. */

const START_MS = 90_000;
const FRONT_END = 'http://localhost:3000';

let system: McpChatSystem;
beforeAll(async () => {
  system = await McpChatSystem.start();
}, START_MS);
afterAll(() => system?.stop());
afterEach(() => {
  expect(system.provider.violations).toEqual([]);
  expect(system.provider.unused).toBe(0);
});

describe('an mcp-chat stream', () => {
  const add = (): Parameters<ScriptedProvider['answer']> => [
    {
      content: [
        ...say('Let me ', 'look').content,
        ...useTools(['toolu_1', 'math__add', { a: 40, b: 2 }]).content,
      ],
    },
    say('4', '2'),
  ];

  test('7, 8, 9, 11 contains the call, then the text of the last step alone, then [DONE], and closes', async () => {
    const client = await system.connected('math');
    system.provider.answer(...add());
    const streamed = await client.stream('what is 40 + 2?');
    const id = streamed.starts[0]!.id;
    expect(id).toMatch(/^call_/);
    expect(streamed.events).toEqual([
      { type: 'tool_start', id, name: 'add', args: { a: 40, b: 2 } },
      { type: 'tool_end', id, name: 'add', status: 'success' },
      { type: 'text', content: '42' },
    ]);
    expect(streamed.raw.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('10 contains the same text as /chat and as the end of the conversation', async () => {
    const client = await system.connected('math');
    system.provider.answer(...add(), ...add());
    const streamed = await client.stream('what is 40 + 2?');
    const { status, body, headers } = await client.chat('what is 40 + 2?');
    expect([status, body]).toEqual([
      200,
      { response: streamed.text, tool_calls: [{ name: 'add', args: { a: 40, b: 2 }, result: '42' }] },
    ]);
    expect(headers.get('x-conversation-id')).toBe(streamed.conversationId);
    expect((await system.messages(streamed.conversationId)).at(-1)).toMatchObject({
      role: 'assistant',
      content: streamed.text,
    });
  });

  test('8, 13 ends failed, refused and unknown calls, and continues', async () => {
    const client = await system.connected('faulty');
    const asked = useTools(
      ['toolu_1', 'faulty__explode', {}],
      ['toolu_2', 'math__add', { a: 1, b: 2 }],
      ['toolu_3', 'frobnicate', {}],
      ['toolu_4', 'faulty__explode', { no: 'such argument' }],
    );
    system.provider.answer(asked, say('It failed.'));
    const { starts, ends, last } = await client.stream('explode');
    expect(starts.map(({ name }) => name)).toEqual(['explode', 'add', 'frobnicate', 'explode']);
    expect(ends.map(({ status }) => status)).toEqual(['failure', 'failure', 'failure', 'failure']);
    expect(last).toBe('[DONE]');
    system.provider.answer(asked, say('It failed.'));
    const { body } = await client.chat('explode');
    const results = body.tool_calls.map(({ result }) => result?.split(':')[0]);
    expect(results).toEqual(['ToolExecutionError', 'PermissionError', 'ToolNotFound', 'ValidationError']);
  });

  test('15 shows parallel calls as they start and end', async () => {
    const client = await system.connected('slow');
    const hold = (name: string) =>
      ['toolu_' + name, 'slow__hold', { name }] as [string, string, { name: string }];
    system.provider.answer(useTools(hold('one'), hold('two')), say('Held.'));
    const response = await client.fetch('POST', '/chat/stream', { message: 'hold both' });
    const streaming = readStrictly(response);
    await Promise.all([system.gates.started('one'), system.gates.started('two')]);
    system.gates.open('two');
    const turns = async () => JSON.stringify(await system.turns(response.headers.get('x-conversation-id')!));
    await waitFor(async () => (await turns()).includes('held two'), { what: 'the end of the second' });
    system.gates.open('one');
    const { events } = await streaming;
    const outline = events.map(({ type, id }) => [type, events.findIndex((event) => event.id === id)]);
    expect(outline.slice(0, 4)).toEqual([
      ['tool_start', 0],
      ['tool_start', 1],
      ['tool_end', 1],
      ['tool_end', 0],
    ]);
  });

  test('16 without a connection contains text alone, and the model is offered no tools', async () => {
    system.provider.answer(say('Just talk.'));
    const streamed = await system.newClient().stream('hello');
    expect(streamed.events).toEqual([{ type: 'text', content: 'Just talk.' }]);
    expect(system.provider.requests.at(-1)!.body.tools ?? []).toEqual([]);
  });

  test('2 with a connection the model is offered the tools of this server alone', async () => {
    const client = await system.connected('math');
    system.provider.answer(say('Fine.'));
    await client.stream('hello');
    const names = system.provider.requests.at(-1)!.body.tools!.map(({ name }) => name);
    expect(names).toEqual(['math__add', 'math__multiply']);
  });

  test('contains no text for an empty answer', async () => {
    system.provider.answer({ content: [] });
    expect(await system.newClient().stream('say nothing')).toMatchObject({ events: [], last: '[DONE]' });
  });

  test('12 ends with one [ERROR] when the model fails, and /chat with 502', async () => {
    const client = system.newClient();
    const refusal = { status: 400, message: 'bad\nrequest' };
    system.provider.answer(refusal, refusal);
    const streamed = await client.stream('fail');
    expect(streamed).toMatchObject({ events: [], last: expect.stringMatching(/^\[ERROR\] \S/) });
    expect(streamed.raw).not.toContain('[DONE]');
    expect(await client.chat('fail')).toMatchObject({ status: 502, body: { detail: expect.any(String) } });
  });

  test('is split so that a client that does not join chunks reads it all', async () => {
    const text = `${'Many words, and 🚂 between them. '.repeat(400)}End`;
    system.provider.answer(say(text), say(text));
    const client = system.newClient();
    expect((await client.stream('at length')).text).toBe(text);
    const read = await readNaively(await client.fetch('POST', '/chat/stream', { message: 'again' }));
    expect([read.text === text, read.types.at(-1)]).toEqual([true, '[DONE]']);
  });

  test('14 is not opened for an invalid message', async () => {
    for (const [body, status] of [
      ['{}', 422],
      ['{"message":5}', 422],
      ['{"message":"  "}', 422],
      ['{', 400],
    ] as const) {
      const answer = await system.newClient().fetch('POST', '/chat/stream', body);
      expect([answer.status, await answer.json()]).toEqual([status, { detail: expect.any(String) }]);
      expect(answer.headers.get('content-type')).not.toContain('event-stream');
    }
  });

  test('20 carries the headers of cross-origin requests', async () => {
    system.provider.answer(say('Hello.'));
    const client = system.newClient({ origin: FRONT_END });
    const response = await client.fetch('POST', '/chat/stream', { message: 'hello' });
    expect(response.headers.get('access-control-allow-origin')).toBe(FRONT_END);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    await readStrictly(response);
  });
});
