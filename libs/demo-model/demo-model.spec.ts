import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import type { ModelMessage, ModelPart, ModelTool } from '#llm';
import {
  ADD_TOOL,
  aRequest,
  callsOf,
  collect,
  describeModelContract,
  MULTIPLY_TOOL,
  textOf,
  userSays,
} from '../llm/testing/index.js';
import { DemoModel } from './demo-model.js';

const { signal } = new AbortController();
const aTool = (name: string, ...parameters: string[]): ModelTool => ({
  name,
  description: `The tool ${name}. More.`,
  input_schema: { type: 'object', properties: Object.fromEntries(parameters.map((key) => [key, {}])) },
});
const TOOLS = [
  aTool('everything__get-sum', 'a', 'b'),
  aTool('filesystem__read_file', 'path'),
  aTool('knowledge__rag_search', 'query', 'limit'),
  ADD_TOOL,
  MULTIPLY_TOOL,
  aTool('memory__read_graph'),
  aTool('web__web_search', 'query'),
];

const model = new DemoModel(new SystemClock(), 0);

function ask(messages: ModelMessage[], tools = TOOLS): Promise<ModelPart[]> {
  return collect(model.stream(aRequest('demo', { messages, tools, max_output_tokens: 16_000 }), signal));
}

const callsFor = async (question: string, tools = TOOLS) => callsOf(await ask([userSays(question)], tools));
const answerTo = async (...questions: string[]) => {
  const messages = questions.flatMap((question, index): ModelMessage[] =>
    index === 0
      ? [userSays(question)]
      : [{ role: 'assistant', content: [{ type: 'text', text: 'ok' }] }, userSays(question)],
  );
  return textOf(await ask(messages));
};

/** Plays a whole turn; `results` are the tools' answers, an Error for a failed one. */
async function play(
  question: string,
  answer: (name: string, args: Record<string, number>) => string | Error,
  tools = TOOLS,
) {
  const messages = [userSays(question)];
  const steps: unknown[] = [];
  for (let id = 0; ;) {
    const parts = await ask(messages, tools);
    const calls = callsOf(parts) as [string, Record<string, number>][];
    if (calls.length === 0) return { steps, text: textOf(parts) };
    steps.push(calls);
    const made = calls.map(([name, args]) => ({
      name,
      args,
      tool_call_id: `call_${id++}`,
      result: answer(name, args),
    }));
    messages.push(
      {
        role: 'assistant',
        content: made.map(({ name, args, tool_call_id }) => ({
          type: 'tool_use',
          tool_call_id,
          name,
          arguments: args,
        })),
      },
      {
        role: 'user',
        content: made.map(({ tool_call_id, result }) => {
          const isError = result instanceof Error;
          return {
            type: 'tool_result',
            tool_call_id,
            text: isError ? result.message : result,
            is_error: isError,
          };
        }),
      },
    );
  }
}

const calculate = (name: string, { a, b }: Record<string, number>) =>
  JSON.stringify({ result: name === 'math__add' ? a! + b! : a! * b! });

describeModelContract('the demo model', () =>
  Promise.resolve({ model: new DemoModel(new SystemClock(), 0), name: 'demo' }),
);

describe('which tools the demo model calls', () => {
  const sum = (a: number, b: number) => ['math__add', { a, b }];
  const product = (a: number, b: number) => ['math__multiply', { a, b }];
  const documents = (query: string) => ['knowledge__rag_search', { query }];
  const web = (query: string) => ['web__web_search', { query }];

  const questions: [string, unknown[]][] = [
    ['what is 17 + 25?', [sum(17, 25)]],
    ['What is 17+25', [sum(17, 25)]],
    ['add 3 and 4', [sum(3, 4)]],
    ['Please add 3 to 4.', [sum(3, 4)]],
    ['7 plus 8', [sum(7, 8)]],
    ['What is the sum of 1,000 and -5?', [sum(1000, -5)]],
    ['6 times 7', [product(6, 7)]],
    ['6 × 7', [product(6, 7)]],
    ['6 x 7', [product(6, 7)]],
    ['multiply 6 by 7', [product(6, 7)]],
    ['What is the product of 6 and 7?', [product(6, 7)]],
    ['17 + 25 and 6 * 7', [sum(17, 25), product(6, 7)]],
    ['What is 17 + 25? And what is 6 * 7?', [sum(17, 25), product(6, 7)]],
    ['add 2 and 3 and multiply 6 by 7', [sum(2, 3), product(6, 7)]],
    ['add 2 and 3, then multiply the result by 4', [sum(2, 3)]],
    ['what is 2 + 3 * 4?', [product(3, 4)]],
    ['search the documents for durable', [documents('durable')]],
    ['What do the docs say about durable queues?', [documents('durable queues')]],
    ['Look up "claim" in the documentation', [documents('claim')]],
    ['search the web for RabbitMQ 4.0 news', [web('RabbitMQ 4.0 news')]],
    ['Search for cheap trains on the web', [web('cheap trains')]],
    ['search the docs and the web for quorum queues', [documents('quorum queues'), web('quorum queues')]],
    ['search the documents for durable and add 2 and 3', [documents('durable'), sum(2, 3)]],
    ['call math__add with {"a": 1, "b": 2}', [sum(1, 2)]],
    [
      'call math.add with {"a": 1, "b": 2} and call filesystem read file with {"path": "a; then {b}"}',
      [sum(1, 2), ['filesystem__read_file', { path: 'a; then {b}' }]],
    ],
    ['call mcp:everything:get-sum with {"a": 1, "b": 2}', [['everything__get-sum', { a: 1, b: 2 }]]],
    ['use the tool `read_graph`', [['memory__read_graph', {}]]],
    ['my favourite number is 12', []],
    ['use your imagination', []],
    ['hello', []],
    ['what is 1.5 + 2?', []],
    ['what is 17 - 5?', []],
  ];

  it.each(questions)('%s', async (question, expected) => {
    expect(await callsFor(question)).toEqual(expected);
  });

  it('says a short sentence before it calls', async () => {
    expect(textOf(await ask([userSays('17 + 25 and 6 * 7')]))).toBe(
      'I will add 17 and 25 and multiply 6 by 7.',
    );
  });

  it('calls only what is on offer, and says what is missing', async () => {
    const parts = await ask([userSays('what is 17 + 25?')], []);
    expect(callsOf(parts)).toEqual([]);
    expect(textOf(parts)).toContain('`math__add`');
    expect(textOf(await ask([userSays('call nothing_like_it with {}')]))).toContain(
      'no tool like `nothing_like_it`',
    );
    expect(textOf(await ask([userSays('call read with {}')]))).toContain(
      '`filesystem__read_file`, `memory__read_graph`',
    );
  });

  it('explains that it takes whole numbers, adds and multiplies only, and reads valid JSON only', async () => {
    expect(await answerTo('what is 1.5 + 2?')).toContain('whole numbers only');
    expect(await answerTo('what is 17 - 5?')).toContain('only add and multiply');
    expect(await answerTo('call math__add {"a": }')).toContain('not valid JSON');
  });
});

describe('the small tools that the demo model uses when asked plainly', () => {
  const small = [
    ...TOOLS,
    ...[
      aTool('time__now', 'time_zone'),
      aTool('memory__remember', 'key', 'text'),
      aTool('memory__recall', 'query'),
    ],
    ...[aTool('memory__forget', 'key'), aTool('http__fetch', 'url')],
  ];
  it.each<[string, string, Record<string, string>]>([
    ['What time is it?', 'time__now', {}],
    ['what time is it in Tokyo', 'time__now', { time_zone: 'Asia/Tokyo' }],
    ["What's the time in New York right now?", 'time__now', { time_zone: 'America/New_York' }],
    ['remember that my cat is called Tom.', 'memory__remember', { key: 'cat', text: 'my cat is called Tom' }],
    ['what do you remember about my cat?', 'memory__recall', { query: 'my cat' }],
    ['what do you remember', 'memory__recall', {}],
    ['Forget my cat.', 'memory__forget', { key: 'cat' }],
    ['please read https://example.com/a.html?b=c.', 'http__fetch', { url: 'https://example.com/a.html?b=c' }],
  ])('%s', async (question, name, args) => {
    expect(await callsFor(question, small)).toEqual([[name, args]]);
  });

  it('says so when it knows no time zone for a place', async () => {
    const parts = await ask([userSays('what time is it in Atlantis?')], small);
    expect([callsOf(parts), textOf(parts)]).toEqual([[], expect.stringContaining('Atlantis')]);
  });

  it.each(['what time is it?', 'what do you remember about my cat?', 'forget it'])(
    'calls nothing for "%s" while these tools are not on offer',
    async (question) => expect(await callsFor(question)).toEqual([]),
  );

  it('says results in plain words', async () => {
    const now =
      '{"iso":"2026-01-31T23:05:09+00:00","readable":"Saturday, 31 January 2026, 23:05","time_zone":"UTC"}';
    const told = await play('what time is it?', () => now, small);
    expect(told.text).toBe('It is **Saturday, 31 January 2026, 23:05** (UTC).');
    const facts = '{"facts":[{"key":"cat","text":"my cat is called Tom"}],"found":1,"remembered":1}';
    const recalled = await play('what do you remember about my cat?', () => facts, small);
    expect(recalled.text).toBe('I remember:\n\n- my cat is called Tom');
  });
});

describe('what the demo model makes of results', () => {
  it('answers parallel calls', async () => {
    const { text } = await play('17 + 25 and 6 * 7', calculate);
    expect(text).toBe('17 + 25 = **42**\n\n6 × 7 = **42**');
  });

  it('goes on from a result, one step after the other', async () => {
    const { steps, text } = await play(
      'add 2 and 3, then multiply the result by 4, then add 1 to it',
      calculate,
    );
    expect(steps).toEqual([
      [['math__add', { a: 2, b: 3 }]],
      [['math__multiply', { a: 5, b: 4 }]],
      [['math__add', { a: 1, b: 20 }]],
    ]);
    expect(text).toContain('1 + 20 = **21**');
  });

  it('respects precedence', async () => {
    expect((await play('what is 2 + 3 * 4 + 1?', calculate)).text).toContain('**15**');
  });

  it('waits for what comes before "then" although it needs nothing from it', async () => {
    const { steps } = await play('search the documents for durable, then add 1 and 2', () => 'fine');
    expect(steps).toHaveLength(2);
  });

  it('states an error plainly and does not go on', async () => {
    const failing = () => new Error('TimeoutError: took too long');
    const { steps, text } = await play('add 2 and 3, then multiply the result by 4', failing);
    expect(steps).toHaveLength(1);
    expect(text).toContain('The tool `math__add` failed: TimeoutError: took too long');
    expect(text).toContain('I did not go on to multiply the result by 4');
  });

  it('shows hits as a list, other JSON as code, prose as it is', async () => {
    const hits = JSON.stringify({
      results: [{ title: 'Queues', snippet: 'A durable\nqueue', url: 'https://a.b/c' }],
    });
    expect((await play('search the documents for durable', () => hits)).text).toContain(
      '- **Queues**: A durable queue <https://a.b/c>',
    );
    expect((await play('call read_graph', () => '{"entities":3}')).text).toContain('```json');
    expect((await play('call read_graph', () => 'nothing in it')).text).toBe(
      '`memory__read_graph` answered:\n\nnothing in it',
    );
  });

  it('answers the newest question after a turn that was stopped', async () => {
    const stopped: ModelMessage[] = [
      userSays('add 2 and 3'),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', tool_call_id: 'call_1', name: 'math__add', arguments: {} }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_call_id: 'call_1', text: 'Cancelled', is_error: true },
          { type: 'text', text: '[The user stopped the previous answer before it was complete.]' },
          { type: 'text', text: '6 times 7' },
        ],
      },
    ];
    expect(callsOf(await ask(stopped))).toEqual([['math__multiply', { a: 6, b: 7 }]]);
  });
});

describe('what the demo model remembers', () => {
  it.each([
    [['my name is Ann', 'what is my name?'], 'Your name is **Ann**.'],
    [['Call me Ann Lee', 'hello', "what's my name?"], '**Ann Lee**'],
    [['hello', 'what is my name?'], 'not told me'],
    [['Remember 4711', 'Which number?'], '**4711**'],
    [['Remember 4711', 'hello', 'Remember 12', 'what did I ask you to remember?'], '**12**'],
    [['my favourite colour is deep blue.', 'What is my favourite colour?'], '**deep blue**'],
    [['hello', 'how are you?', 'what did I ask first?'], '“hello”'],
    [['hello', 'how are you?', 'what did I say before?'], '“how are you?”'],
    [['my name is Ann'], 'Nice to meet you, **Ann**.'],
    [['Remember 4711'], 'I will remember **4711**.'],
  ])('%j', async (questions, expected) => {
    expect(await answerTo(...questions)).toContain(expected);
  });
});

describe('long texts and help', () => {
  it('counts up to a limit', async () => {
    expect(await answerTo('count to 2000')).toMatch(/^1 2 3 .* 1999 2000$/);
    expect(await answerTo('please count slowly to 3')).toBe('1 2 3');
    expect(await answerTo('count to 2001')).toContain('2000 at most');
  });

  it('tells a story long enough to stop it', async () => {
    expect((await answerTo('tell me a long story')).split(' ').length).toBeGreaterThan(1_000);
  });

  it('stops at max_output_tokens', async () => {
    const request = aRequest('demo', { messages: [userSays('count to 2000')], max_output_tokens: 10 });
    const parts = await collect(model.stream(request, signal));
    expect(textOf(parts)).toHaveLength(40);
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'max_tokens' });
  });

  it('says what it can do and how to set a real model', async () => {
    const text = await answerTo('what is the meaning of life?');
    expect(text).toContain('MODEL=anthropic/');
    expect(text).toContain('ANTHROPIC_API_KEY');
  });

  it('lists the tools on offer', async () => {
    expect(await answerTo('which tools do you have?')).toContain(
      '- `web__web_search`: The tool web__web_search.',
    );
  });

  it('thinks aloud when asked to', async () => {
    const parts = await ask([userSays('think about 6 times 7')]);
    expect(parts[0]).toMatchObject({ type: 'thinking' });
    expect(parts.find((part) => part.type === 'thinking_end')).toEqual({
      type: 'thinking_end',
      text: 'This needs tools: math__multiply.',
    });
  });

  it('says the same to the same request', async () => {
    const messages = [userSays('17 + 25 and 6 * 7')];
    expect(await ask(messages)).toEqual(await ask(messages));
  });

  it('repeats what it is told to', async () => {
    expect(await answerTo('say “2 + 2 is four”')).toBe('2 + 2 is four');
  });
});

describe('a call that the request forces', () => {
  const FORMAT: ModelTool = {
    name: 'response_formatter',
    description: 'Formats.',
    input_schema: {
      type: 'object',
      required: ['conversation'],
      properties: {
        thinking: { type: 'string' },
        conversation: {
          type: 'array',
          items: {
            type: 'object',
            required: ['type'],
            properties: {
              type: { enum: ['text', 'artifact'] },
              content: { type: 'string' },
              artifact: { type: 'object' },
            },
          },
        },
      },
    },
  };
  const force = (name: string, messages: ModelMessage[]) =>
    collect(
      model.stream(aRequest('demo', { messages, tools: [...TOOLS, FORMAT], tool_choice: { name } }), signal),
    );

  it('carries what was said last where the schema has room for it', async () => {
    const messages: ModelMessage[] = [
      userSays('what is 17 + 25?'),
      { role: 'assistant', content: [{ type: 'text', text: '17 + 25 = 42' }] },
      userSays('Please format your answer.'),
    ];
    const parts = await force('response_formatter', messages);
    expect(callsOf(parts)).toEqual([
      ['response_formatter', { conversation: [{ type: 'text', content: '17 + 25 = 42' }] }],
    ]);
    expect(textOf(parts)).toBe('');
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'tool_use' });
  });

  it('takes its arguments from a question that has some', async () => {
    expect(callsOf(await force('math__add', [userSays('what is 17 + 25 and 6 * 7?')]))).toEqual([
      ['math__add', { a: 17, b: 25 }],
    ]);
  });

  it('is not made when no such tool is offered', async () => {
    expect(callsOf(await force('nobody__knows', [userSays('hello')]))).toEqual([]);
  });
});
