import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { SUMMARY_INSTRUCTION, type ModelMessage, type ModelPart, type ModelRequest } from '#llm';
import { DemoModel } from './demo-model.js';

const user = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});

async function answerTo(messages: ModelMessage[], change: Partial<ModelRequest> = {}): Promise<string> {
  const request = { model: 'demo', system: '', messages, tools: [], max_output_tokens: 1_000, ...change };
  const parts: ModelPart[] = [];
  for await (const part of new DemoModel(new SystemClock(), 0).stream(request, new AbortController().signal))
    parts.push(part);
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
const summarise = (text: string, change: Partial<ModelRequest> = {}) =>
  answerTo([user(text)], { system: SUMMARY_INSTRUCTION, ...change });

describe('the demo model’s summary', () => {
  const conversation = [
    'User: My name is Ann.',
    'Assistant: Nice to meet you, **Ann**.',
    'User: What is 2 + 2?',
    'Assistant called math__add({"a":2,"b":2})',
    'Result: 4',
    'User: What is 2 + 2?',
  ].join('\n\n');

  it('is what the user said, once and in order, the same each time', async () => {
    const expected = 'The user said, in this order:\n- My name is Ann.\n- What is 2 + 2?';
    expect(await summarise(conversation)).toBe(expected);
    expect(await summarise(conversation)).toBe(expected);
  });

  it('keeps what an earlier summary said, and no more than it may', async () => {
    const summary = await summarise(conversation);
    expect(await summarise('User: I live in Rome.', { summary })).toBe(
      'The user said, in this order:\n- My name is Ann.\n- What is 2 + 2?\n- I live in Rome.',
    );
    expect((await summarise(conversation, { max_output_tokens: 5 })).length).toBeLessThanOrEqual(20);
    const many = Array.from({ length: 100 }, (_, i) => `User: line ${i}`).join('\n\n');
    const lines = (await summarise(many)).split('\n').slice(1);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([40, '- line 0', '- line 99']);
  });

  it('is what it recalls later', async () => {
    const summary = await summarise(conversation);
    expect(await answerTo([user('What is my name?')], { summary })).toBe('Your name is **Ann**.');
    expect(await answerTo([user('What did I ask first?')], { summary })).toContain('My name is Ann.');
  });
});
