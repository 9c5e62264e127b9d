import { describe, expect, it } from '@jest/globals';
import {
  SUMMARY_INSTRUCTION,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
} from '#llm';
import { SystemClock } from '#time';
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

const aTool = (name: string): ModelTool => ({ name, description: `The tool ${name}.`, input_schema: {} });
const TOOLS = [
  aTool('everything__get-sum'),
  aTool('knowledge__rag_search'),
  ADD_TOOL,
  MULTIPLY_TOOL,
  aTool('memory__read_graph'),
  aTool('web__web_search'),
];

const model = new DemoModel(new SystemClock(), 0);

function request(changes: Partial<ModelRequest>): Promise<ModelPart[]> {
  const whole = aRequest('demo', { tools: TOOLS, max_output_tokens: 16_000, ...changes });
  return collect(model.stream(whole, new AbortController().signal));
}

const partsFor = (question: string) => request({ messages: [userSays(question)] });
const callsFor = async (question: string) => callsOf(await partsFor(question));
const answerTo = async (...questions: string[]) => {
  const messages = questions.flatMap((question, index): ModelMessage[] =>
    index === 0
      ? [userSays(question)]
      : [{ role: 'assistant', content: [{ type: 'text', text: 'ok' }] }, userSays(question)],
  );
  return textOf(await request({ messages }));
};

/** The messages of a step: its calls, and their results, an Error for a failed one. */
function called(...calls: [name: string, result: string | Error][]): ModelMessage[] {
  return [
    {
      role: 'assistant',
      content: calls.map(([name], i) => ({
        type: 'tool_use',
        tool_call_id: `call_${i}`,
        name,
        arguments: {},
      })),
    },
    {
      role: 'user',
      content: calls.map(([, result], i) => ({
        type: 'tool_result',
        tool_call_id: `call_${i}`,
        text: result instanceof Error ? result.message : result,
        is_error: result instanceof Error,
      })),
    },
  ];
}

const after = (question: string, ...steps: ModelMessage[][]) =>
  request({ messages: [userSays(question), ...steps.flat()] });

describeModelContract('the demo model', () => Promise.resolve({ model, name: 'demo' }));

describe('the demo model, planning calls', () => {
  const sum = (a: number, b: number) => ['math__add', { a, b }];
  const product = (a: number, b: number) => ['math__multiply', { a, b }];
  const documents = (query: string) => ['knowledge__rag_search', { query }];

  it.each<[string, unknown[]]>([
    ['what is 17 + 25?', [sum(17, 25)]],
    ['What is 17+25', [sum(17, 25)]],
    ['7 plus -8', [sum(7, -8)]],
    ['6 times 7', [product(6, 7)]],
    ['6 × 7', [product(6, 7)]],
    ['What is 17 + 25, for the 5th time?', [sum(17, 25)]],
    ['What is 12 × 12 and 3 + 4?', [product(12, 12), sum(3, 4)]],
    ['Search the documents for “side effects”', [documents('side effects')]],
    ['search the docs for durable queues?', [documents('durable queues')]],
    ['search the web for RabbitMQ 4.0 news', [['web__web_search', { query: 'RabbitMQ 4.0 news' }]]],
    ['call math__add with {"a": 1, "b": 2}', [sum(1, 2)]],
    [
      'call math add {"a": 1, "b": 2}; call memory.read_graph with {}',
      [sum(1, 2), ['memory__read_graph', {}]],
    ],
    [
      'call everything get sum with {"a": "1 + 1 then {2}\\"}"} and 6 * 7',
      [['everything__get-sum', { a: '1 + 1 then {2}"}' }], product(6, 7)],
    ],
    ['my favourite number is 12', []],
    ['call me Ann', []],
  ])('plans the calls of "%s"', async (question, expected) => {
    expect(await callsFor(question)).toEqual(expected);
  });

  it.each([
    'what is 2 + 3 * 4?',
    'what is 2 * 3 plus 4?',
    'what is 1.5 + 2?',
    'what is 1 + 2.5?',
    '9 - 5 + 2',
    '1 + 2 - 3',
  ])('does not calculate a part of "%s"', async (question) => {
    const parts = await partsFor(question);
    expect([callsOf(parts), textOf(parts)]).toEqual([[], expect.stringContaining('demo model')]);
  });

  it('writes a short sentence before it calls', async () => {
    expect(textOf(await partsFor('17 + 25 and 6 * 7'))).toBe('I will add 17 and 25 and multiply 6 by 7.');
    expect(textOf(await partsFor('call memory__read_graph with {}'))).toBe(
      'I will call `memory__read_graph`.',
    );
  });

  it('does not call a missing tool, and says so', async () => {
    const parts = await request({ messages: [userSays('what is 17 + 25?')], tools: [] });
    expect(callsOf(parts)).toEqual([]);
    expect(textOf(parts)).toContain('the tool `math__add`, which is not on offer');
    const twice = 'call nothing with {} and call nothing with {}';
    expect(await answerTo(twice)).toBe('There is no tool like `nothing` on offer.');
  });

  it('still calls the available tools, and names the missing ones', async () => {
    const parts = await partsFor('call nothing with {} and what is 3 + 4?');
    expect(callsOf(parts)).toEqual([sum(3, 4)]);
    expect(textOf(parts)).toBe('There is no tool like `nothing` on offer.\n\nI will add 3 and 4.');
  });

  it('refuses arguments that are not JSON', async () => {
    const broken = 'The arguments of `math__add` are not valid JSON.';
    expect(await answerTo('call math__add with {"a": }')).toBe(broken);
    expect(await answerTo(`call math__add with {${'call math__add with {'.repeat(3_000)}`)).toBe(broken);
  });
});

describe('the demo model, following a plan', () => {
  it('answers with the results of parallel calls', async () => {
    const results = called(['math__add', '42'], ['math__multiply', '43']);
    expect(textOf(await after('17 + 25 and 6 * 7', results))).toBe('17 + 25 = **42**\n\n6 × 7 = **43**');
  });

  it('makes the calls after "then" in the next step', async () => {
    const question = 'call memory__read_graph with {} then what is 3 + 4?';
    expect(await callsFor(question)).toEqual([['memory__read_graph', {}]]);
    const first = called(['memory__read_graph', 'nothing in it']);
    const next = await after(question, first);
    expect(callsOf(next)).toEqual([['math__add', { a: 3, b: 4 }]]);
    expect(textOf(next)).toBe('Now I will add 3 and 4.');
    expect(textOf(await after(question, first, called(['math__add', '7'])))).toBe(
      '`memory__read_graph` answered:\n\nnothing in it\n\n3 + 4 = **7**',
    );
  });

  it('reports an error and stops its plan', async () => {
    const failed = called(['math__add', new Error('TimeoutError: took too long')]);
    const parts = await after('1 + 2 then 3 * 4', failed);
    expect(callsOf(parts)).toEqual([]);
    expect(textOf(parts)).toBe(
      'The tool `math__add` failed: TimeoutError: took too long\n\nSo I did not multiply 3 by 4.',
    );
  });

  it.each([
    ['{"entities":3}', '```json\n{"entities":3}\n```'],
    ['prose', 'prose'],
    ['', 'nothing'],
  ])('quotes the result %j', async (result, quoted) => {
    const parts = await after('call read with {}', called(['memory__read_graph', result]));
    expect(textOf(parts)).toBe(`\`memory__read_graph\` answered:\n\n${quoted}`);
  });

  it('names the places of search results', async () => {
    const found = called(['knowledge__rag_search', 'a passage']);
    expect(textOf(await after('search the documents for durable', found))).toBe(
      'In the documents I found this for “durable”:\n\na passage',
    );
  });

  it('answers the newest question after a stopped turn', async () => {
    const [calls, results] = called(['math__add', new Error('Cancelled')]);
    const newest = [
      { type: 'text' as const, text: '[The user stopped the previous answer before it was complete.]' },
      { type: 'text' as const, text: '6 times 7' },
    ];
    const messages = [userSays('2 + 3'), calls!, { ...results!, content: [...results!.content, ...newest] }];
    expect(callsOf(await request({ messages: messages as ModelMessage[] }))).toEqual([
      ['math__multiply', { a: 6, b: 7 }],
    ]);
  });
});

describe('the demo model, recalling the conversation', () => {
  it.each([
    [['hello', 'how are you?', 'What did I say first?'], 'You said “hello”.'],
    [['hello', 'how are you?', 'what did I say just before? (Bob asks)'], 'You said “how are you?”.'],
    [['what did I say before?'], 'This is the first thing you said.'],
    [['what was the last result?'], 'There was no result yet.'],
  ])('answers %j', async (questions, expected) => {
    expect(await answerTo(...questions)).toBe(expected);
  });

  it('leaves out the note that an answer was stopped', async () => {
    const note = userSays('[The user stopped the previous answer before it was complete.]');
    const messages = [userSays('count to 9'), note, userSays('what did I say before?')];
    expect(textOf(await request({ messages }))).toBe('You said “count to 9”.');
  });

  it('repeats the last result of earlier turns', async () => {
    const turn = [userSays('17 + 25'), ...called(['math__add', '42'])];
    const messages = [...turn, userSays('what was the last result?')];
    expect(textOf(await request({ messages }))).toBe('The last result was **42**.');
  });
});

describe('the demo model, summarising', () => {
  const summarise = async (text: string, changes: Partial<ModelRequest> = {}) =>
    textOf(await request({ system: SUMMARY_INSTRUCTION, messages: [userSays(text)], ...changes }));
  const conversation = [
    'User: My name is Ann.',
    'Assistant: ok',
    'User: What is 2 + 2?',
    'Assistant called math__add({"a":2,"b":2})',
    'Result: 4',
    'User: What is 2 + 2?',
  ].join('\n\n');

  it('lists the user’s messages, each once and in order', async () => {
    expect(await summarise(conversation)).toBe(
      'The user said, in this order:\n- My name is Ann.\n- What is 2 + 2?',
    );
  });

  it('keeps an earlier summary, and 40 lines at most including the first', async () => {
    const summary = await summarise(conversation);
    expect(await summarise('User: I live in Rome.', { summary })).toBe(
      'The user said, in this order:\n- My name is Ann.\n- What is 2 + 2?\n- I live in Rome.',
    );
    const many = Array.from({ length: 100 }, (_, i) => `User: line ${i}`).join('\n\n');
    const lines = (await summarise(many)).split('\n').slice(1);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([40, '- line 0', '- line 99']);
  });

  it('writes a summary that it recalls later', async () => {
    const summary = await summarise(conversation);
    const parts = await request({ messages: [userSays('What did I say first?')], summary });
    expect(textOf(parts)).toBe('You said “My name is Ann.”.');
  });
});

describe('the demo model, fixed texts', () => {
  it('counts up to a limit', async () => {
    expect(await answerTo('count to 2000')).toMatch(/^1 2 3 .* 1999 2000$/);
    expect(await answerTo('please count slowly to 3')).toBe('1 2 3');
    for (const last of [0, 2001]) expect(await answerTo(`count to ${last}`)).toContain('2000 at most');
  });

  it('stops at max_output_tokens', async () => {
    const parts = await request({ messages: [userSays('count to 2000')], max_output_tokens: 10 });
    expect(textOf(parts)).toHaveLength(40);
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'max_tokens' });
  });

  it('repeats a given text', async () => {
    expect(await answerTo('say “2 + 2 is four”')).toBe('2 + 2 is four');
    expect(await answerTo('say two\nlines')).toBe('two\nlines');
  });

  it('emits thinking when asked to', async () => {
    const parts = await partsFor('think about 6 times 7');
    expect(parts[0]).toMatchObject({ type: 'thinking' });
    expect(parts.find((part) => part.type === 'thinking_end')).toEqual({
      type: 'thinking_end',
      text: 'This needs tools: math__multiply.',
    });
  });

  it('otherwise explains what it can do and how to set a real model', async () => {
    const text = await answerTo('hello');
    for (const part of ['built-in **demo model**', 'MODEL=anthropic/', 'ANTHROPIC_API_KEY'])
      expect(text).toContain(part);
  });
});

describe('the demo model, forced to call a tool', () => {
  const FORMAT: ModelTool = {
    name: 'response_formatter',
    description: 'Formats.',
    input_schema: {
      type: 'object',
      required: ['conversation', 'items', 'is_final'],
      properties: {
        thinking: { type: 'string' },
        items: { type: 'integer' },
        is_final: { type: 'boolean' },
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
  const messages: ModelMessage[] = [
    userSays('what is 17 + 25?'),
    { role: 'assistant', content: [{ type: 'text', text: '17 + 25 = 42' }] },
    userSays('Please format your answer.'),
  ];

  it('passes the last text when the schema has room for it', async () => {
    const parts = await request({ messages, tools: [FORMAT], tool_choice: { name: FORMAT.name } });
    const conversation = [{ type: 'text', content: '17 + 25 = 42' }];
    expect(callsOf(parts)).toEqual([[FORMAT.name, { conversation, items: 0, is_final: false }]]);
    expect(textOf(parts)).toBe('');
    expect(parts.at(-1)).toMatchObject({ stop_reason: 'tool_use' });
  });

  it('makes no call when the tool is not offered', async () => {
    expect(callsOf(await request({ messages, tool_choice: { name: FORMAT.name } }))).toEqual([]);
  });
});
