import { describe, expect, it } from '@jest/globals';
import type { Usage } from '#contracts';
import type { ModelPart, ModelRequest } from '#llm';
import { AttemptUsage } from './attempt-usage.js';

const REQUEST: ModelRequest = {
  model: 'one/a',
  system: 'x'.repeat(300),
  messages: [],
  tools: [],
  max_output_tokens: 1_000,
};
/** Of 300 characters, and of the brackets of no tools. */
const INPUT = 101;

const text = (length: number): ModelPart => ({ type: 'text', text: 'x'.repeat(length) });
const counted = (input_tokens: number, output_tokens: number, cached_tokens = 0): Usage => ({
  input_tokens,
  output_tokens,
  cached_tokens,
});
const told = (...usage: Parameters<typeof counted>): ModelPart => ({
  type: 'usage',
  usage: counted(...usage),
});
const ended = (usage: Usage, stop_reason: 'end_turn' | 'refusal' = 'end_turn'): ModelPart => ({
  type: 'end',
  stop_reason,
  usage,
});

function sumOf(parts: ModelPart[], isAborted = false): Usage | undefined {
  const usage = new AttemptUsage(REQUEST, { now: () => 0 });
  for (const part of parts) usage.read(part);
  return usage.sum(isAborted);
}

describe('usage of an attempt', () => {
  it.each<[string, ModelPart[], Usage]>([
    ['is the reported usage', [text(300), ended(counted(7, 5, 2))], counted(7, 5, 2)],
    ['is zero for a question that a filter refused', [ended(counted(0, 0), 'refusal')], counted(0, 0)],
    ['is estimated when the reported usage is zero', [text(300), ended(counted(0, 0))], counted(INPUT, 100)],
    ['is estimated from the text when the answer has no end', [text(150), text(150)], counted(INPUT, 100)],
    ['is estimated from the thinking', [{ type: 'thinking', text: 'x'.repeat(300) }], counted(INPUT, 100)],
    [
      'is estimated from the data of hidden thinking',
      [{ type: 'thinking_end', text: '', data: 'x'.repeat(300) }],
      counted(INPUT, 100),
    ],
    [
      'counts thinking once although it was streamed and then signed',
      [
        { type: 'thinking', text: 'x'.repeat(300) },
        { type: 'thinking_end', text: 'x'.repeat(300), signature: 'x'.repeat(300) },
      ],
      counted(INPUT, 100),
    ],
    [
      'counts arguments once although they arrived in pieces and complete',
      [
        { type: 'tool_call_delta', text: `{"a":"${'x'.repeat(292)}` },
        { type: 'tool_call_delta', text: '"}' },
        { type: 'tool_call', name: 'a', arguments: { a: 'x'.repeat(292) }, raw: '' },
      ],
      counted(INPUT, 100),
    ],
    [
      'counts the pieces of incomplete arguments',
      [{ type: 'tool_call_delta', text: 'x'.repeat(300) }],
      counted(INPUT, 100),
    ],
    ['is the reported input', [told(5_000, 1, 4_000), text(300)], counted(5_000, 100, 4_000)],
    [
      'is the reported output if that is more than the estimate',
      [text(300), told(50, 200)],
      counted(50, 200),
    ],
    ['is at most the requested output', [text(9_000)], counted(INPUT, 1_000)],
  ])('%s', (_what, parts, expected) => {
    expect(sumOf(parts)).toEqual(expected);
  });

  it('is unknown when nothing arrived, unless the signal ended the request', () => {
    expect(sumOf([])).toBeUndefined();
    expect(sumOf([], true)).toEqual(counted(INPUT, 0));
  });

  it.each<[string, string, ModelPart[], number]>([
    ['is estimated from the time until the first word', 'openai/gpt-5', [text(300)], 400],
    ['is estimated from the whole time when no word arrived', 'openai/gpt-5', [], 450],
    ['is zero for a model that shows it', 'anthropic/claude-sonnet-5-5', [text(300)], 100],
  ])('hidden reasoning %s (%s)', (_what, model, parts, output_tokens) => {
    let nowMs = 5_000;
    const usage = new AttemptUsage({ ...REQUEST, model }, { now: () => nowMs });
    nowMs += 2_000;
    for (const part of parts) usage.read(part);
    nowMs += 1_000;
    expect(usage.sum(true)).toEqual(counted(INPUT, output_tokens));
  });
});
