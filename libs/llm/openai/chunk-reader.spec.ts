import { describe, expect, it } from '@jest/globals';
import { ModelError, type ModelPart } from '../port/model.port.js';
import { callsOf, textOf } from '../testing/model-contract.js';
import { GEMINI } from '../providers/gemini.js';
import { OPENAI } from '../providers/openai.js';
import type { CallDelta } from './call-collector.js';
import type { ChatProvider } from './chat-provider.js';
import { ChunkReader, type ChatChunk } from './chunk-reader.js';

type Delta = NonNullable<NonNullable<ChatChunk['choices']>[number]['delta']>;

const NAME = 'openai/some-model';

function read(
  deltas: Delta[],
  finish = 'stop',
  usage: ChatChunk['usage'] = null,
  provider: ChatProvider = OPENAI,
) {
  const reader = new ChunkReader(provider, NAME);
  const chunks: (ChatChunk | null)[] = [
    null,
    { choices: [] },
    ...deltas.map((delta) => ({ choices: [{ delta, finish_reason: null }] })),
    { choices: [{ finish_reason: finish }] },
    { choices: null, usage },
  ];
  const parts = [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.finish()];
  return parts.filter(({ type }) => type !== 'tool_call_delta');
}

const readCalls = (deltas: CallDelta[], finish = 'tool_calls') =>
  callsOf(
    read(
      deltas.map((call) => ({ tool_calls: [call] })),
      finish,
    ),
  );
const whole = (name: string, args: string) => ({ function: { name, arguments: args } });

describe('tool calls in pieces', () => {
  const SUMS = [
    ['add', { a: 1 }],
    ['add', { a: 2 }],
  ];

  it.each<[string, CallDelta[]]>([
    [
      'as specified',
      [
        { index: 0, id: 'x', function: { name: 'add', arguments: '' } },
        { index: 0, function: { arguments: '{"a"' } },
        { index: 1, id: 'y', function: { name: 'add', arguments: '{"a":' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: '2}' } },
      ],
    ],
    [
      'with id and name in each piece',
      [
        { index: 0, id: 'x', function: { name: 'add', arguments: '{"a"' } },
        { index: 0, id: 'x', function: { name: 'add', arguments: ':1}' } },
        { index: 1, id: 'y', function: { name: 'add', arguments: '{"a":2}' } },
      ],
    ],
    ['whole, without index and id', [whole('add', '{"a":1}'), whole('add', '{"a":2}')]],
    [
      'whole, all with the same index',
      [
        { index: 0, id: 'x', ...whole('add', '{"a":1}') },
        { index: 0, id: 'y', ...whole('add', '{"a":2}') },
      ],
    ],
    [
      'whole, all with the same index and id',
      [
        { index: 0, id: 'x', ...whole('add', '{"a":1}') },
        { index: 0, id: 'x', ...whole('add', '{"a":2}') },
      ],
    ],
    [
      'whole, with the same index and no id',
      [
        { index: 0, ...whole('add', '{"a":1}') },
        { index: 0, ...whole('add', '{"a":2}') },
      ],
    ],
    [
      'with arguments that are not strings',
      [
        { index: 0, id: 'x', function: { name: 'add', arguments: { a: 1 } } },
        { index: 1, id: '', function: { name: 'add', arguments: { a: 2 } } },
      ],
    ],
    [
      'in pieces without index',
      [
        { id: 'x', function: { name: 'add', arguments: '{"a"' } },
        { function: { arguments: ':1}' } },
        { id: 'y', function: { name: 'add', arguments: '{"a":2}' } },
      ],
    ],
  ])('are joined: %s', (_, deltas) => {
    expect(readCalls(deltas)).toEqual(SUMS);
  });

  it('without arguments get an empty object, unless the answer was cut off there', () => {
    const calls: CallDelta[] = [
      { index: 0, id: 'x', ...whole('now', '') },
      { index: 1, id: 'y', ...whole('now', '') },
    ];
    expect(readCalls(calls)).toEqual([
      ['now', {}],
      ['now', {}],
    ]);
    expect(readCalls(calls, 'length')).toEqual([
      ['now', {}],
      ['now', undefined],
    ]);
  });

  it('keep the raw text when it is not a JSON object', () => {
    const parts = read([{ tool_calls: [{ index: 0, id: 'x', ...whole('add', '[1]') }] }], 'tool_calls');
    expect(parts[0]).toEqual({ type: 'tool_call', name: 'add', arguments: undefined, raw: '[1]' });
  });

  it('are recognised although the server sends the finish reason stop', () => {
    const parts = read([{ tool_calls: [whole('add', '{}')] }], 'stop');
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'tool_use' });
  });
});

describe('reasoning', () => {
  it.each(['reasoning_content', 'reasoning'] as const)(
    'in %s is kept under the name of its field',
    (field) => {
      const parts = read([{ [field]: 'Let ' }, { [field]: 'me see' }, { [field]: '', content: 'So.' }]);
      expect(parts.slice(0, 4)).toEqual([
        { type: 'thinking', text: 'Let ' },
        { type: 'thinking', text: 'me see' },
        { type: 'thinking_end', text: 'Let me see', model: NAME, data: field },
        { type: 'text', text: 'So.' },
      ]);
    },
  );

  it('in two fields is read once, and ends before the calls', () => {
    const parts = read(
      [{ reasoning_content: 'hm', reasoning: 'hm' }, { tool_calls: [whole('add', '{}')] }],
      'tool_calls',
    );
    expect(parts.map(({ type }) => type)).toEqual(['thinking', 'thinking_end', 'tool_call', 'end']);
  });
});

describe('Gemini’s thoughts', () => {
  const marked = (content: string): Delta => ({ content, extra_content: { google: { thought: true } } });
  const thoughtOf = (parts: ModelPart[]) =>
    parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');

  it.each<[string, Delta[]]>([
    ['with whole tags', [marked('<thought>plan'), { content: '</thought>Done.' }]],
    [
      'with tags in pieces',
      [marked('<tho'), marked('ught>pl'), marked('an</tho'), { content: 'ught>Done.' }],
    ],
    ['without tags', [marked('pl'), marked('an'), { content: 'Done.' }]],
    ['in one piece', [marked('<thought>plan</thought>Done.')]],
  ])('are separated from the answer %s', (_, deltas) => {
    const parts = read(deltas, 'stop', null, GEMINI);
    expect([thoughtOf(parts), textOf(parts)]).toEqual(['plan', 'Done.']);
  });

  it('are not detected in an answer that mentions such tags, or from other providers', () => {
    const text = 'Write <thought>x</thought>.';
    expect(textOf(read([{ content: text }], 'stop', null, GEMINI))).toBe(text);
    expect(textOf(read([marked(text)]))).toBe(text);
  });

  it('lose nothing when the answer ends inside a tag', () => {
    expect(thoughtOf(read([marked('<thought>plan</th')], 'stop', null, GEMINI))).toBe('plan</th');
  });

  it('leave a signature before the call that came with it', () => {
    const call = { ...whole('add', '{}'), extra_content: { google: { thought_signature: 'sig' } } };
    expect(read([{ tool_calls: [call] }], 'stop', null, GEMINI).slice(0, 2)).toEqual([
      { type: 'thinking_end', text: '', signature: 'sig', model: NAME },
      { type: 'tool_call', name: 'add', arguments: {}, raw: '{}' },
    ]);
  });
});

describe('the finish reason', () => {
  it.each([
    ['stop', 'end_turn'],
    ['eos', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['content_filter: SAFETY', 'refusal'],
  ])('%s is %s', (finish, expected) => {
    expect(read([{ content: 'x' }], finish).at(-1)).toMatchObject({ stop_reason: expected });
  });

  it('is a refusal for a refusal text, which is shown', () => {
    const parts = read([{ refusal: 'I will ' }, { refusal: 'not.' }]);
    expect(textOf(parts)).toBe('I will not.');
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'refusal' });
  });

  it.each(['function_call_filter: MALFORMED_FUNCTION_CALL', 'error', 'insufficient_system_resource'])(
    'is a retryable error for %s',
    (finish) => {
      expect(() => read([], finish)).toThrow(ModelError);
    },
  );
});

describe('usage of Chat Completions', () => {
  it.each<[string, ChatChunk['usage'], number[]]>([
    ['is zero when the server sends none', null, [0, 0, 0]],
    [
      'counts cached tokens once',
      { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 64 } },
      [100, 5, 64],
    ],
    [
      'accepts other field names',
      { prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 8 },
      [9, 5, 8],
    ],
    [
      'counts output that only the total contains',
      { prompt_tokens: 9, completion_tokens: 5, total_tokens: 34 },
      [9, 25, 0],
    ],
    [
      'has at most as many cached tokens as input tokens',
      { prompt_tokens: 9, prompt_cache_hit_tokens: 10 },
      [9, 0, 9],
    ],
  ])('%s', (_, usage, [input_tokens, output_tokens, cached_tokens]) => {
    expect(read([], 'stop', usage).at(-1)).toMatchObject({
      usage: { input_tokens, output_tokens, cached_tokens },
    });
  });
});

it('usage is reported when the answer of a server breaks off that counts with each chunk', () => {
  const reader = new ChunkReader(OPENAI, NAME);
  const usage = { prompt_tokens: 10, completion_tokens: 2 };
  const parts = reader.read({ choices: [{ delta: { content: 'Hi' } }], usage });
  const counted = { input_tokens: 10, output_tokens: 2, cached_tokens: 0 };
  expect(parts).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'usage', usage: counted },
  ]);
});
