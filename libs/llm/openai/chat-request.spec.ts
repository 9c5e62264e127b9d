import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { chatSay } from '../../../test/fakes/chat-reply.js';
import type { ChatService } from '../../../test/fakes/chat-request-rules.js';
import type { ErrorReply, RawReply } from '../../../test/fakes/scripted-api.js';
import {
  startStrictChatApi,
  type ChatBody,
  type StrictChatApi,
} from '../../../test/fakes/strict-chat-api.js';
import type { ModelMessage, ModelRequest, ModelTool } from '../port/model.port.js';
import { ADD_TOOL, aRequest, collect, MULTIPLY_TOOL, userSays } from '../testing/model-contract.js';
import { GEMINI } from '../providers/gemini.js';
import { OLLAMA } from '../providers/ollama.js';
import { OPENAI } from '../providers/openai.js';
import { ChatModel } from './chat-model.adapter.js';

const CALL = `call_${'a'.repeat(22)}`;
const OTHER_CALL = `call_${'b'.repeat(22)}`;
const PROVIDERS = { openai: OPENAI, gemini: GEMINI, ollama: OLLAMA, compatible: OPENAI };

let api: StrictChatApi;

/** The bodies that one request leads to; the service accepts each of them. */
async function send(
  service: ChatService,
  model: string,
  changes: Partial<ModelRequest> = {},
  replies: (RawReply | ErrorReply)[] = [],
): Promise<ChatBody[]> {
  api = await startStrictChatApi({ service, script: (_, index) => replies[index] ?? chatSay('ok') });
  const adapter = new ChatModel({
    clock: new SystemClock(),
    provider: PROVIDERS[service],
    apiKey: 'sk-test',
    baseUrl: api.baseUrl,
  });
  await collect(adapter.stream(aRequest(model, changes), new AbortController().signal));
  return api.requests.map(({ body }) => body);
}

type Blocks = (ModelMessage & { role: 'assistant' })['content'];

/** A step with two calls, both answered, `before` in front of the first. */
function afterCalls(...before: Blocks): ModelMessage[] {
  const call = (tool_call_id: string): Blocks[number] => {
    return { type: 'tool_use', tool_call_id, name: 'math__add', arguments: { a: 1 } };
  };
  return [
    userSays('what is 1 + 2?'),
    { role: 'assistant', content: [...before, call(CALL), call(OTHER_CALL)] },
    {
      role: 'user',
      content: [CALL, OTHER_CALL].map((tool_call_id) => ({
        type: 'tool_result' as const,
        tool_call_id,
        text: '3',
        is_error: false,
      })),
    },
  ];
}

afterEach(async () => {
  expect(api.violations).toEqual([]);
  await api.close();
});

describe('a Chat Completions request', () => {
  it('asks for a stream with its usage, and limits the output', async () => {
    const [body] = await send('openai', 'openai/gpt-4.1', { tools: [ADD_TOOL], temperature: 0.5 });
    expect(body).toEqual({
      model: 'gpt-4.1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 1_000,
      temperature: 0.5,
      tools: [
        {
          type: 'function',
          function: {
            name: 'math__add',
            description: 'Adds two whole numbers.',
            parameters: ADD_TOOL.input_schema,
          },
        },
      ],
    });
  });

  it('has no system message and no tools when there are none', async () => {
    const [body] = await send('openai', 'openai/gpt-4.1', { system: ' ' });
    expect(body!.messages.map(({ role }) => role)).toEqual(['user']);
    expect(body).not.toHaveProperty('tools');
  });

  it('has one system message that includes the summary', async () => {
    const summary = 'They like tea.';
    const [body] = await send('openai', 'openai/gpt-4.1', { system: 'Be brief.', summary });
    expect(body!.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body!.messages[0]!.content).toMatch(
      /^Be brief\.\n\n[^]*not instructions:\n<earlier_conversation>\nThey like/,
    );
  });

  it.each<[string, ChatService, string | undefined]>([
    ['openai/gpt-6', 'openai', 'none'],
    ['openai/gpt-5', 'openai', 'low'],
    ['openai/o4-mini', 'openai', 'low'],
    ['openai/gpt-5-pro', 'openai', undefined],
    ['openai/gpt-4.1', 'openai', undefined],
    ['gemini/gemini-3.8-flash', 'gemini', undefined],
  ])('to %s asks for the lowest possible reasoning when none is wanted', async (name, service, effort) => {
    const [body] = await send(service, name, { reasoning: 'least', tools: [] });
    expect(body!.reasoning_effort).toBe(effort);
  });

  it.each<[string, ChatService, object]>([
    ['openai/gpt-6', 'openai', { max_completion_tokens: 9_000, reasoning_effort: 'none' }],
    ['openai/gpt-5.10-mini', 'openai', { max_completion_tokens: 9_000, reasoning_effort: 'none' }],
    ['openai/gpt-5', 'openai', { max_completion_tokens: 9_000 }],
    ['openai/o4-mini', 'openai', { max_completion_tokens: 9_000 }],
    ['openai/gpt-5-chat-latest', 'compatible', { max_completion_tokens: 9_000, temperature: 1.5 }],
    ['openai/gpt-4o', 'openai', { max_completion_tokens: 9_000, temperature: 1.5 }],
    ['openai/gpt-4-turbo', 'openai', { max_completion_tokens: 4_096, temperature: 1.5 }],
    ['openai/gpt-oss:20b', 'compatible', { max_tokens: 9_000, temperature: 1.5 }],
    ['openai/deepseek-v4', 'compatible', { max_tokens: 9_000, temperature: 1.5 }],
    ['ollama/qwen3:8b', 'ollama', { max_tokens: 9_000, temperature: 1.5 }],
    [
      'gemini/gemini-3.8-flash',
      'gemini',
      {
        max_tokens: 9_000,
        temperature: 1.5,
        extra_body: { google: { thinking_config: { include_thoughts: true } } },
      },
    ],
    ['gemini/gemma-4-31b', 'gemini', { max_tokens: 9_000, temperature: 1.5 }],
  ])('has the parameters that %s accepts', async (model, service, expected) => {
    const changes = { temperature: 1.5, max_output_tokens: 9_000, tools: [ADD_TOOL] };
    const [body] = await send(service, model, changes);
    const { model: _, messages: __, stream: ___, stream_options: ____, tools: _____, ...parameters } = body!;
    expect(parameters).toEqual(expected);
  });

  it.each<[string, ChatService, unknown]>([
    ['openai/gpt-6', 'openai', { type: 'function', function: { name: 'math__multiply' } }],
    ['gemini/gemini-3.8-flash', 'gemini', { type: 'function', function: { name: 'math__multiply' } }],
    ['ollama/qwen3:8b', 'ollama', undefined],
  ])('forces a call of %s', async (model, service, expected) => {
    const tools = [ADD_TOOL, MULTIPLY_TOOL];
    const [body] = await send(service, model, { tools, tool_choice: { name: 'math__multiply' } });
    expect(body!.tool_choice).toEqual(expected);
  });

  it.each<ChatService>(['openai', 'gemini', 'ollama'])(
    'offers %s tools in an accepted form',
    async (service) => {
      const odd: ModelTool = {
        name: 'odd',
        description: 'Says more than fits. '.repeat(100),
        input_schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: {
            list: { type: 'array' },
            kind: { enum: [1, ''] },
            when: { type: 'string', format: 'time' },
          },
          anyOf: [{ required: ['list'] }, { required: ['kind'] }],
        },
      };
      const [body] = await send(service, `${PROVIDERS[service].name}/gpt-4o`, { tools: [odd] });
      const text = JSON.stringify(body!.tools);
      expect(text).toContain('At least one of these forms fits');
      expect(text.match(/Says more/g)!.length).toBeGreaterThanOrEqual(99);
    },
  );
});

describe('the history in a Chat Completions request', () => {
  it('answers parallel calls by our own ids, each in a separate message, before the user’s text', async () => {
    const messages = afterCalls({ type: 'text', text: 'I will add.' });
    messages[2]!.content.push({ type: 'text', text: 'and now?' });
    const [body] = await send('openai', 'openai/gpt-4.1', { messages, tools: [ADD_TOOL] });
    const call = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'math__add', arguments: '{"a":1}' },
    });
    expect(body!.messages.slice(2)).toEqual([
      { role: 'assistant', content: 'I will add.', tool_calls: [call(CALL), call(OTHER_CALL)] },
      { role: 'tool', tool_call_id: CALL, content: '3' },
      { role: 'tool', tool_call_id: OTHER_CALL, content: '3' },
      { role: 'user', content: 'and now?' },
    ]);
  });

  it('omits blank texts, and never contains an empty result', async () => {
    const messages = afterCalls({ type: 'text', text: ' ' });
    const result = messages[2]!.content[0]!;
    if (result.type === 'tool_result') result.text = '';
    const [body] = await send('openai', 'openai/gpt-4.1', { messages });
    expect(body!.messages.slice(2, 4)).toMatchObject([
      { content: null },
      { role: 'tool', content: '(empty)' },
    ]);
  });

  it('returns to Gemini its signature on the call that it came with, and no other provider’s', async () => {
    const own = { type: 'thinking', text: '', signature: 'sig', model: 'gemini/gemini-3.8-flash' } as const;
    const foreign = {
      type: 'thinking',
      text: 'x',
      signature: 'claude',
      model: 'anthropic/claude-x',
    } as const;
    const [body] = await send('gemini', own.model, { messages: afterCalls(foreign, own, foreign) });
    const calls = body!.messages[2]!.tool_calls as { extra_content?: unknown }[];
    expect(calls.map((call) => call.extra_content)).toEqual([
      { google: { thought_signature: 'sig' } },
      undefined,
    ]);
    expect(JSON.stringify(body)).not.toContain('claude');
  });

  it('marks for Gemini the calls that it has not made', async () => {
    const messages = afterCalls({ type: 'thinking', text: 'x', signature: 'unmarked' });
    const [body] = await send('gemini', 'gemini/gemini-3.8-flash', { messages });
    const text = JSON.stringify(body);
    expect(text.match(/skip_thought_signature_validator/g)).toHaveLength(1);
    expect(text).not.toContain('unmarked');
  });

  it.each(['reasoning_content', 'reasoning'])(
    'returns %s in addition to the calls that it led to',
    async (field) => {
      const aloud = {
        type: 'thinking',
        text: 'Two sums.',
        data: field,
        model: 'openai/deepseek-v4',
      } as const;
      const hidden = { type: 'thinking', text: '', data: 'redacted', model: 'anthropic/claude-x' } as const;
      const [body] = await send('compatible', 'openai/deepseek-v4', { messages: afterCalls(hidden, aloud) });
      expect(body!.messages[2]).toMatchObject({ role: 'assistant', [field]: 'Two sums.' });
      expect(JSON.stringify(body)).not.toContain('redacted');
      await api.close();
      const [elsewhere] = await send('ollama', 'ollama/qwen3:8b', { messages: afterCalls(hidden, aloud) });
      expect(JSON.stringify(elsewhere)).not.toContain('Two sums.');
    },
  );
});

describe('pictures in a Chat Completions request', () => {
  const images = new Map([['art_1', { content_type: 'image/png' as const, data: 'AAAA' }]]);
  const shown = ['art_1', 'art_2'].map((artifact_id) => {
    return { artifact_id, content_type: 'image/png' as const, size: 3 };
  });
  function withPictures(): ModelMessage[] {
    const messages = afterCalls();
    const result = messages[2]!.content[0]!;
    if (result.type === 'tool_result') result.images = shown;
    return messages;
  }

  it('follow the results in a user message, by the names in the results', async () => {
    const [body] = await send('openai', 'openai/gpt-4.1', { messages: withPictures(), images });
    expect(body!.messages.slice(3)).toEqual([
      {
        role: 'tool',
        tool_call_id: CALL,
        content: '3\n[picture art_1: see below]\n[image/png, artifact art_2, is not shown here]',
      },
      { role: 'tool', tool_call_id: OTHER_CALL, content: '3' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[picture art_1]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('are only named when the model accepts none', async () => {
    const message = 'Invalid content type. image_url is only supported by certain models.';
    const bodies = await send('openai', 'openai/gpt-4.1', { messages: withPictures(), images }, [
      { status: 400, message },
    ]);
    expect(bodies).toHaveLength(2);
    expect(JSON.stringify(bodies[1])).not.toContain('image_url');
    expect(JSON.stringify(bodies[1])).toContain('artifact art_1, is not shown here');
  });

  it.each([401, 429])('are not omitted after a refusal that is not about them (HTTP %i)', async (status) => {
    const refused = { status, message: 'Limit of input images per minute reached.' };
    await expect(
      send('openai', 'openai/gpt-4.1', { messages: withPictures(), images }, [refused]),
    ).rejects.toMatchObject({ options: { status } });
    expect(api.requests).toHaveLength(1);
  });
});
