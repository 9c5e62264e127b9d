import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chatSay } from './chat-reply.js';
import type { ChatService } from './chat-request-rules.js';
import { startStrictChatApi, type StrictChatApi } from './strict-chat-api.js';

const ASKED = { role: 'user', content: 'add' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
const CALLED = { role: 'assistant', content: null, tool_calls: [CALL] };
const ANSWERED = { role: 'tool', tool_call_id: 'call_1', content: '3' };
const aTool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, description: 'x', parameters },
});
const property = (schema: object) => ({ type: 'object', properties: { a: schema } });

describe('the strict fake of Chat Completions', () => {
  let apis: Map<ChatService, StrictChatApi>;

  beforeEach(() => {
    apis = new Map();
  });
  afterEach(() => Promise.all([...apis.values()].map((api) => api.close())));

  async function post(service: ChatService, changes: object, headers: Record<string, string> = {}) {
    const api = await startStrictChatApi({ service, script: () => chatSay('ok') });
    apis.set(service, api);
    const body = {
      model: 'some-model',
      messages: [ASKED],
      stream: true,
      stream_options: { include_usage: true },
      ...changes,
    };
    const response = await fetch(`${api.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), api };
  }

  it.each<[string, ChatService, object]>([
    ['a question', 'openai', {}],
    ['an answered call', 'openai', { messages: [ASKED, CALLED, ANSWERED] }],
    [
      'a forced tool',
      'openai',
      { tools: [aTool('add')], tool_choice: { type: 'function', function: { name: 'add' } } },
    ],
    ['reasoning', 'compatible', { messages: [ASKED, { ...CALLED, reasoning_content: 'hm' }, ANSWERED] }],
  ])('answers %s', async (_, service, changes) => {
    const { status, text, api } = await post(service, changes);
    expect([status, api.violations]).toEqual([200, []]);
    expect(text).toContain('data: [DONE]');
  });

  it.each<[string, ChatService, object, string]>([
    ['an unknown parameter', 'openai', { thinking: {} }, "Unknown parameter: 'thinking'"],
    ['a missing stream_options', 'openai', { stream_options: undefined }, 'stream_options.include_usage'],
    ['no message', 'openai', { messages: [] }, 'empty array'],
    ['an unknown role', 'openai', { messages: [{ role: 'model', content: 'x' }] }, "Invalid value: 'model'"],
    [
      'a call without an answer',
      'openai',
      { messages: [ASKED, CALLED, ASKED] },
      'must be followed by tool messages',
    ],
    ['a call at the end', 'openai', { messages: [ASKED, CALLED] }, 'call_1'],
    ['an answer without a call', 'openai', { messages: [ASKED, ANSWERED] }, 'must be a response'],
    ['an answer twice', 'openai', { messages: [ASKED, CALLED, ANSWERED, ANSWERED] }, 'must be a response'],
    [
      'an id that is too long',
      'openai',
      { messages: [ASKED, { ...CALLED, tool_calls: [{ ...CALL, id: 'x'.repeat(41) }] }] },
      'maximum length 40',
    ],
    [
      'an invalid function name',
      'openai',
      {
        messages: [
          ASKED,
          { ...CALLED, tool_calls: [{ ...CALL, function: { name: 'a.b', arguments: '{}' } }] },
        ],
      },
      'does not match pattern',
    ],
    [
      'a picture in a result',
      'openai',
      {
        messages: [ASKED, CALLED, { ...ANSWERED, content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      },
      "Invalid value: 'image_url'",
    ],
    [
      'reasoning that the service does not know',
      'openai',
      { messages: [ASKED, { ...CALLED, reasoning_content: 'hm' }, ANSWERED] },
      'reasoning_content',
    ],
    [
      'a signature that the service does not know',
      'openai',
      { messages: [ASKED, { ...CALLED, tool_calls: [{ ...CALL, extra_content: {} }] }, ANSWERED] },
      'extra_content',
    ],
    ['two tools of one name', 'openai', { tools: [aTool('add'), aTool('add')] }, 'Duplicate function'],
    ['a bad name', 'openai', { tools: [aTool('math.add')] }, 'does not match pattern'],
    [
      'alternatives at the top',
      'openai',
      { tools: [aTool('a', { type: 'object', anyOf: [] })] },
      'at the top level',
    ],
    [
      'an array without items',
      'openai',
      { tools: [aTool('a', property({ type: 'array' }))] },
      'missing items',
    ],
    [
      'a forced tool that is not offered',
      'openai',
      { tools: [aTool('a')], tool_choice: { function: { name: 'b' } } },
      "'b' not found",
    ],
    [
      'max_tokens for a model that reasons',
      'openai',
      { model: 'o4-mini', max_tokens: 5 },
      'max_completion_tokens',
    ],
    ['a temperature for a model that reasons', 'openai', { model: 'gpt-6', temperature: 1 }, 'temperature'],
    [
      'tools with reasoning',
      'openai',
      { model: 'gpt-6', tools: [aTool('a')] },
      "set reasoning_effort to 'none'",
    ],
    ['a forced tool at Ollama', 'ollama', { tools: [aTool('a')], tool_choice: 'auto' }, 'tool_choice'],
    [
      'a reference at Gemini',
      'gemini',
      { tools: [aTool('a', property({ $ref: '#' }))] },
      'Unknown name \\"$ref\\"',
    ],
    ['a list of types', 'gemini', { tools: [aTool('a', property({ type: ['string'] }))] }, 'not repeating'],
    [
      'a list of numbers',
      'gemini',
      { tools: [aTool('a', property({ type: 'integer', enum: [1] }))] },
      'only allowed for STRING',
    ],
    [
      'an unsigned call at Gemini 3',
      'gemini',
      { model: 'gemini-3.8-flash', messages: [ASKED, CALLED, ANSWERED] },
      'thought_signature',
    ],
  ])('refuses %s', async (_, service, changes, words) => {
    const { status, text, api } = await post(service, changes);
    expect([status, api.requests.length, api.violations.length]).toEqual([400, 0, 1]);
    expect(text).toContain(words);
  });

  it('refuses a request without a key, unless the server is one’s own', async () => {
    expect((await post('openai', {}, { authorization: '' })).status).toBe(401);
    expect((await post('ollama', {}, { authorization: '' })).status).toBe(200);
  });
});
