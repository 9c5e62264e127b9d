import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { say, useTools, type ScriptedReply } from './messages-reply.js';
import { startStrictMessagesApi, type StrictMessagesApi } from './strict-messages-api.js';

const HEADERS = {
  'x-api-key': 'test',
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
};
const TOOL = { name: 'add', input_schema: { type: 'object' } };
const ASKED = { role: 'user', content: 'what is 1 + 2?' };
const toolUse = (id: string, name = 'add') => ({ type: 'tool_use', id, name, input: {} });
const toolResult = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: '3' });
const text = (value: string) => ({ type: 'text', text: value });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const user = (...content: unknown[]) => ({ role: 'user', content });
const marked = (value: string) => ({ ...text(value), cache_control: { type: 'ephemeral' } });

let api: StrictMessagesApi;
let reply: ScriptedReply = say('ok');

beforeEach(async () => {
  reply = say('ok');
  api = await startStrictMessagesApi({ script: () => reply });
});
afterEach(() => api.close());

function post(changes: object, headers: Record<string, string> = HEADERS): Promise<Response> {
  const body = { model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages: [ASKED], ...changes };
  return fetch(`${api.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const conversation = (...rest: unknown[]) => ({ messages: [ASKED, ...rest], tools: [TOOL] });

describe('a correct request', () => {
  it('is answered with the events of the real API', async () => {
    reply = {
      content: [
        { type: 'text', chunks: ['a'] },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
      ],
    };
    const body = await (await post({ tools: [TOOL] })).text();
    const types = [...body.matchAll(/^event: (\w+)\ndata: (.+)$/gm)].map(([, event, data]) => {
      expect((JSON.parse(data!) as { type: string }).type).toBe(event);
      return event;
    });
    const block = (deltas: number) => [
      'content_block_start',
      ...Array<string>(deltas).fill('content_block_delta'),
      'content_block_stop',
    ];
    expect(types).toEqual([
      'message_start',
      'ping',
      ...block(1),
      ...block(2),
      'message_delta',
      'message_stop',
    ]);
    expect(body).toContain('"stop_reason":"tool_use"');
    expect(api.violations).toEqual([]);
  });

  it('may hold parallel calls, thinking, redacted thinking and four breakpoints', async () => {
    const thinking = { type: 'thinking', thinking: '', signature: 's' };
    const redacted = { type: 'redacted_thinking', data: 'x' };
    const messages = [
      ASKED,
      assistant(thinking, redacted, marked('a'), toolUse('t1'), toolUse('t2')),
      user(toolResult('t1'), toolResult('t2'), marked('b')),
    ];
    const response = await post({
      messages,
      system: [marked('c')],
      tools: [{ ...TOOL, cache_control: { type: 'ephemeral' } }],
    });
    await response.text();
    expect(response.status).toBe(200);
  });

  it('is answered with the scripted error', async () => {
    reply = { status: 529, type: 'overloaded_error', message: 'Overloaded', headers: { 'retry-after': '3' } };
    const response = await post({});
    expect([response.status, response.headers.get('retry-after')]).toEqual([529, '3']);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    expect(api.violations).toEqual([]);
  });

  it('can be cut off in the middle', async () => {
    reply = { ...useTools(['t', 'add', {}]), breakOff: 'cut' };
    await expect(post({ tools: [TOOL] }).then((response) => response.text())).rejects.toThrow('terminated');
  });

  it('can be held back until the test lets go', async () => {
    let letGo = () => {};
    const until = new Promise<void>((resolve) => (letGo = resolve));
    reply = {
      content: [
        { type: 'text', chunks: ['first'] },
        { type: 'hold', until },
        { type: 'text', chunks: ['second'] },
      ],
    };
    const response = await post({});
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes('first')) seen += (await reader.read()).value ?? '';
    expect(seen).not.toContain('second');
    letGo();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) seen += chunk.value;
    expect(seen).toContain('second');
  });
});

describe('a request is refused and counted', () => {
  const rules: [string, object, string | RegExp][] = [
    ['without max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['with max_tokens 0', { max_tokens: 0 }, /max_tokens: Input should be greater/],
    ['without a model', { model: undefined }, 'model: Field required'],
    ['with an unknown field', { tool_names: [] }, 'tool_names: Extra inputs are not permitted'],
    ['without messages', { messages: undefined }, 'messages: Field required'],
    ['with no message', { messages: [] }, /at least one message/],
    [
      'that begins with the assistant',
      { messages: [assistant(text('hi')), ASKED] },
      /first message must use the "user" role/,
    ],
    ['with two user messages in a row', conversation(ASKED), /found multiple "user" roles in a row/],
    [
      'with two assistant messages in a row',
      conversation(assistant(text('a')), assistant(text('b')), ASKED),
      /multiple "assistant" roles/,
    ],
    ['with an unknown role', conversation({ role: 'tool', content: 'x' }), /role: Input should be/],
    ['with empty content', conversation(assistant(), ASKED), /all messages must have non-empty content/],
    [
      'with an empty text block',
      { messages: [user(text(''))] },
      'messages: text content blocks must be non-empty',
    ],
    ['with a blank text block', { messages: [user(text(' \n'))] }, /must contain non-whitespace text/],
    [
      'whose final assistant text is blank',
      conversation(assistant(text(' '))),
      /must contain non-whitespace text/,
    ],
    [
      'whose final assistant text ends in whitespace',
      conversation(assistant(text('so '))),
      /cannot end with trailing whitespace/,
    ],
    [
      'with prefill for a model that takes none',
      { ...conversation(assistant(text('so'))), model: 'claude-opus-5-5' },
      /prefill/,
    ],
    [
      'with a temperature for a model that takes none',
      { model: 'claude-sonnet-5-5', temperature: 1 },
      /temperature.*deprecated/,
    ],
    [
      'with block_binding but without its beta header',
      { thinking: { type: 'adaptive', block_binding: {} } },
      /block_binding: Extra inputs/,
    ],
    ['with an empty system block', { system: [text('')] }, /text content blocks must be non-empty/],
    [
      'with a dot in a tool name',
      { tools: [{ ...TOOL, name: 'math.add' }] },
      /tools\.0\.custom\.name: String should match pattern/,
    ],
    [
      'with a tool name of 65 characters',
      { tools: [{ ...TOOL, name: 'x'.repeat(65) }] },
      /String should match pattern/,
    ],
    ['with duplicate tool names', { tools: [TOOL, TOOL] }, 'tools: Tool names must be unique.'],
    [
      'with a tool schema that is not an object schema',
      { tools: [{ name: 'a', input_schema: { type: 'string' } }] },
      /type: Input should be 'object'/,
    ],
    [
      'with a union at the top of a tool schema',
      { tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [] } }] },
      /does not support oneOf/,
    ],
    [
      'that forces a tool which it does not offer',
      { tools: [TOOL], tool_choice: { type: 'tool', name: 'other' } },
      "Tool 'other' not found in provided tools",
    ],
    [
      'that forces a tool while the model thinks',
      {
        tools: [TOOL],
        tool_choice: { type: 'tool', name: TOOL.name },
        thinking: { type: 'adaptive' },
      },
      /Thinking may not be enabled/,
    ],
    [
      'that disables thinking for a model that always thinks',
      { model: 'claude-fable-5', thinking: { type: 'disabled' } },
      /disabled is not supported/,
    ],
    [
      'with five breakpoints',
      { messages: [user(...'abcde'.split('').map(marked))] },
      /maximum of 4 blocks with cache_control.*Found 5/,
    ],
    [
      'with an unanswered call',
      conversation(assistant(toolUse('t1')), user(text('hm'))),
      /`tool_use` ids were found without `tool_result` blocks immediately after: t1/,
    ],
    [
      'that ends in an unanswered call',
      conversation(assistant(toolUse('t1'))),
      /without `tool_result` blocks/,
    ],
    [
      'with one of two results missing',
      conversation(assistant(toolUse('t1'), toolUse('t2')), user(toolResult('t1'))),
      /immediately after: t2/,
    ],
    [
      'with a result for no call',
      conversation(assistant(text('a')), user(toolResult('t1'))),
      /unexpected `tool_use_id` found in `tool_result` blocks: t1/,
    ],
    [
      'with a result one message too late',
      conversation(assistant(toolUse('t1')), user(text('a')), assistant(text('b')), user(toolResult('t1'))),
      /without `tool_result`/,
    ],
    [
      'with two results for one call',
      conversation(assistant(toolUse('t1')), user(toolResult('t1'), toolResult('t1'))),
      /must have a single result/,
    ],
    [
      'with text before the results',
      conversation(assistant(toolUse('t1')), user(text('a'), toolResult('t1'))),
      /without `tool_result` blocks/,
    ],
    [
      'with results in another order',
      conversation(assistant(toolUse('t1'), toolUse('t2')), user(toolResult('t2'), toolResult('t1'))),
      /in the order of/,
    ],
    [
      'with a call id that has odd characters',
      conversation(assistant(toolUse('t.1')), user(toolResult('t.1'))),
      /tool_use\.id: String should match pattern/,
    ],
    [
      'with a call name that has odd characters',
      conversation(assistant(toolUse('t1', 'a b')), user(toolResult('t1'))),
      /tool_use\.name: String/,
    ],
    [
      'with the same call id twice',
      conversation(
        assistant(toolUse('t1')),
        user(toolResult('t1')),
        assistant(toolUse('t1')),
        user(toolResult('t1')),
      ),
      /ids must be unique/,
    ],
    [
      'with a call whose input is not an object',
      conversation(assistant({ ...toolUse('t1'), input: 'x' }), user(toolResult('t1'))),
      /valid dictionary/,
    ],
    [
      'with a call in a user message',
      { messages: [user(toolUse('t1'))] },
      /can only be in `assistant` messages/,
    ],
    [
      'with a result in an assistant message',
      conversation(assistant(toolResult('t1')), ASKED),
      /can only be in `user` messages/,
    ],
    [
      'with unsigned thinking',
      conversation(assistant({ type: 'thinking', thinking: 'x' }, text('a')), ASKED),
      /thinking\.signature: Field required/,
    ],
    [
      'with an empty signature',
      conversation(assistant({ type: 'thinking', thinking: 'x', signature: '' }), ASKED),
      /Invalid `signature`/,
    ],
    [
      'with an unknown kind of block',
      { messages: [user({ type: 'thought' })] },
      /does not match any of the expected tags/,
    ],
  ];

  it.each(rules)('%s', async (_, changes, message) => {
    const response = await post(changes);
    const { type, error } = (await response.json()) as {
      type: string;
      error: { type: string; message: string };
    };
    expect([response.status, type, error.type]).toEqual([400, 'error', 'invalid_request_error']);
    if (typeof message === 'string') expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(api.violations.map((violation) => violation.message)).toEqual([error.message]);
    expect(api.requests).toEqual([]);
  });

  it('without anthropic-version', async () => {
    const response = await post({}, { 'x-api-key': 'test' });
    expect([response.status, api.violations[0]?.message]).toEqual([
      400,
      'anthropic-version: header is required',
    ]);
  });

  it('without a key', async () => {
    const response = await post({}, { 'anthropic-version': '2023-06-01' });
    expect([response.status, api.violations.length]).toEqual([401, 1]);
  });

  it('that is not JSON', async () => {
    const response = await fetch(`${api.url}/v1/messages`, { method: 'POST', headers: HEADERS, body: '{' });
    expect([response.status, api.violations.length]).toEqual([400, 1]);
  });
});
