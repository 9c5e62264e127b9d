import { describe, expect, it } from '@jest/globals';
import { SUMMARY_INSTRUCTION } from '#llm';
import { estimateTokens, type ModelMessage } from '#turn';
import { summaryRequest } from './summary-request.js';

const user = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});
const assistant = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const picture = { artifact_id: 'art_1', content_type: 'image/png', size: 1 };

const history: ModelMessage[] = [
  user('Add 2 and 3.'),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'secret', signature: 's' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', tool_call_id: 'call_1', name: 'math__add', arguments: { a: 2, b: 3 } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_call_id: 'call_1',
        text: 'x'.repeat(2_000),
        is_error: true,
        images: [picture],
      },
    ],
  },
  assistant('It failed.'),
  user('Never mind.'),
];

const requestFor = (messages: ModelMessage[], inputTokens?: number) =>
  summaryRequest(messages, { inputTokens, outputTokens: 500 });
const textOf = (messages: ModelMessage[], inputTokens?: number): string => {
  const request = requestFor(messages, inputTokens);
  expect(request).toMatchObject({ system: SUMMARY_INSTRUCTION, tools: [], max_output_tokens: 500 });
  if (inputTokens !== undefined) expect(estimateTokens(request)).toBeLessThanOrEqual(inputTokens);
  const [message] = request.messages;
  expect(request.messages).toHaveLength(1);
  return message!.content.map((item) => (item.type === 'text' ? item.text : '?')).join('');
};

describe('the request for a summary', () => {
  it('contains the conversation as text, with shortened results and without thinking', () => {
    const text = textOf(history);
    expect(
      text.startsWith(
        'User: Add 2 and 3.\n\nAssistant: Let me see.\n\nAssistant called math__add({"a":2,"b":3})\n\nError: xxx',
      ),
    ).toBe(true);
    expect(text.endsWith('Assistant: It failed.\n\nUser: Never mind.')).toBe(true);
    expect(text).toContain('characters left out]');
    expect(text).not.toContain('secret');
    expect(text.length).toBeLessThan(700);
  });

  it('omits the oldest turns when it would not fit, but keeps an earlier summary', () => {
    const turns = Array.from({ length: 50 }, (_, i) => [
      user(`Question ${i}. ${'w'.repeat(100)}`),
      assistant(`Answer ${i}.`),
    ]).flat();
    const [, ...rest] = turns;
    const earlier = { type: 'text' as const, text: 'They like tea.', summary: true as const };
    const first: ModelMessage = {
      role: 'user',
      content: [earlier, { type: 'text', text: 'Question 0.' }],
    };
    const before = [first, ...rest];
    const text = textOf(before, 1_500);
    expect(requestFor(before, 1_500).summary).toBe('They like tea.');
    expect(text).not.toContain('They like tea.');
    expect(text).toContain('[Earlier messages are left out here.]');
    expect(text).not.toContain('Question 0.');
    expect(text).toContain('Question 49.');
    expect(textOf(turns, 1_500)).toMatch(/^\[Earlier messages are left out here\.]\n\nUser: Question/);
  });

  it('omits a turn as a whole, with the results of its calls', () => {
    const long = [user('w'.repeat(3_000)), ...history.slice(1)];
    const text = textOf(long, 700);
    expect(text).toBe('[Earlier messages are left out here.]\n\nUser: Never mind.');
  });

  it('cuts a single turn that is too long', () => {
    const text = textOf([user('first'), user(`Begin ${'😀'.repeat(5_000)} end`)], 2_000);
    expect(text).toContain('User: Begin'.slice(6, 11));
    expect(text).toContain(' end');
    expect(text).toContain('characters left out]');
  });
});
