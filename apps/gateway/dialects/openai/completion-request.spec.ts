import { describe, expect, it } from '@jest/globals';
import { readCompletion } from './completion-request.js';
import { OpenAiRefusal, toOpenAiError } from './openai-error.js';

const HI = { role: 'user', content: 'Hi' };
const request = (change: object = {}) => ({ model: 'switchyard', messages: [HI], ...change });

function refusal(value: unknown): { param: string | null; code: string | null; message: string } {
  try {
    readCompletion(value);
  } catch (error) {
    const { param, code, message } = toOpenAiError(error as OpenAiRefusal);
    return { param, code, message };
  }
  throw new Error('was taken');
}

describe('readCompletion', () => {
  it('reads the last message as the turn’s and the earlier ones as history', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'One?' }, { type: 'image_url' }] },
      { role: 'assistant', content: 'First.', name: 'x' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', content: '42', tool_call_id: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Two' },
          { type: 'text', text: 'lines?' },
        ],
      },
      { role: 'developer', content: 'No lists.' },
    ];
    expect(readCompletion(request({ messages, unknown: { field: 1 } }))).toEqual({
      model: 'switchyard',
      said: expect.objectContaining({ isEmpty: false }) as unknown,
      content: 'Two\nlines?',
      options: { system: 'Be brief.\n\nNo lists.' },
      history: [{ user: 'One?\n[image_url]', assistant: 'First.' }],
      isStreamed: false,
      includesUsage: false,
    });
  });

  it('clamps the output tokens, and accepts null', () => {
    const options = (change: object) => readCompletion(request(change)).options;
    expect(options({ max_tokens: 10, temperature: 0 })).toEqual({ max_output_tokens: 10, temperature: 0 });
    expect(options({ max_tokens: 10, max_completion_tokens: 9_000_000 })).toEqual({
      max_output_tokens: 200_000,
    });
    const nothing = { temperature: null, max_tokens: null, tools: null, n: null, response_format: null };
    expect(options(nothing)).toEqual({});
    expect(options({ model: 'anthropic/some-model' })).toEqual({ model: 'anthropic/some-model' });
  });

  it('streams and reports usage when asked to', () => {
    const streamed = readCompletion(request({ stream: true, stream_options: { include_usage: true } }));
    expect(streamed).toMatchObject({ isStreamed: true, includesUsage: true });
  });

  it.each<[string, unknown, string | null, string | null]>([
    ['a missing body', undefined, null, null],
    ['a list', [], null, null],
    ['a missing model', { messages: [HI] }, 'model', null],
    ['an unknown model', request({ model: 'gpt-9' }), 'model', 'model_not_found'],
    ['missing messages', { model: 'switchyard' }, 'messages', null],
    ['an empty list of messages', request({ messages: [] }), 'messages', null],
    ['a message that is not an object', request({ messages: [HI, 5] }), 'messages[1]', null],
    [
      'content that is neither text nor parts',
      request({ messages: [{ role: 'user', content: 5 }] }),
      'messages[0].content',
      null,
    ],
    [
      'an assistant message at the end',
      request({ messages: [HI, { role: 'assistant', content: 'x' }] }),
      'messages',
      null,
    ],
    ['messages without a user', request({ messages: [{ role: 'system', content: 'x' }] }), 'messages', null],
    [
      'a blank message',
      request({ messages: [{ role: 'user', content: ' \n' }] }),
      'messages[0].content',
      null,
    ],
    [
      'an image',
      request({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }],
      }),
      'messages[0].content',
      'unsupported_content',
    ],
    [
      'a message that is too long',
      request({ messages: [{ role: 'user', content: 'x'.repeat(65_537) }] }),
      'messages[0].content',
      'string_above_max_length',
    ],
    [
      'a system message that is too long',
      request({ messages: [{ role: 'system', content: 'x'.repeat(200_001) }, HI] }),
      'messages',
      'string_above_max_length',
    ],
    ['tools', request({ tools: [{ type: 'function' }] }), 'tools', 'unsupported_tools'],
    ['functions', request({ functions: [{ name: 'x' }] }), 'functions', 'unsupported_tools'],
    ['more than one choice', request({ n: 2 }), 'n', 'unsupported_value'],
    [
      'a JSON response format',
      request({ response_format: { type: 'json_object' } }),
      'response_format',
      'unsupported_value',
    ],
    ['a temperature above 2', request({ temperature: 2.1 }), 'temperature', null],
    ['a limit of 0 tokens', request({ max_tokens: 0 }), 'max_tokens', null],
    ['a fractional limit of tokens', request({ max_completion_tokens: 1.5 }), 'max_completion_tokens', null],
    ['a stream flag that is not a boolean', request({ stream: 'yes' }), 'stream', null],
  ])('refuses %s', (_what, value, param, code) => {
    expect(refusal(value)).toEqual({ param, code, message: expect.stringMatching(/./) });
  });

  it('refuses a request that is nested too deep before any recursive code reads it', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    expect(refusal(request({ metadata: deep })).message).toContain('nested');
  });
});
