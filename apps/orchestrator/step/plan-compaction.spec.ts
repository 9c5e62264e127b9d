import { describe, expect, it } from '@jest/globals';
import type { Step } from '#contracts';
import { stepRow } from '#journal';
import { shortenResults, tokensOfMessages, type ModelMessage } from '#turn';
import { planCompaction, requestLimit, type CompactionInput } from './plan-compaction.js';

const by = { clock: { wall: () => 0 } };
const turn = { turn: { _id: 't', conversation_id: 'c', number: 2 } as never };
const row = (kind: Step['kind'], text = ''): Step =>
  stepRow(by, turn, 1, { kind, attempt: 100, blocks: text === '' ? [] : [{ type: 'text', text }] });

/** A turn whose text and whose result have so many characters. */
function history(said: number, result: number): ModelMessage[] {
  const id = 'call_1';
  return [
    { role: 'user', content: [{ type: 'text', text: 'q'.repeat(said) }] },
    { role: 'assistant', content: [{ type: 'tool_use', tool_call_id: id, name: 'x', arguments: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_call_id: id, text: 'r'.repeat(result), is_error: false }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
  ];
}

const input = (change: Partial<CompactionInput>): CompactionInput => ({
  history: history(100, 30_000),
  steps: [],
  ownTokens: 1_000,
  windowTokens: 10_000,
  maxOutputTokens: 2_000,
  ...change,
});

describe('compaction before a request', () => {
  it('is not needed while the request fits with its answer, or when the window is unknown', () => {
    expect(planCompaction(input({ history: history(100, 20_000) }))).toBe('none');
    expect(planCompaction(input({ windowTokens: undefined }))).toBe('none');
    expect(planCompaction(input({ windowTokens: 14_000 }))).toBe('none');
    expect(requestLimit(10_000, 2_000)).toBe(8_000);
    expect(requestLimit(10_000, 200_000)).toBe(7_500);
  });

  it('shortens results when that frees enough, and summarises otherwise', () => {
    expect(planCompaction(input({}))).toBe('shorten');
    expect(planCompaction(input({ history: history(30_000, 100) }))).toBe('summarise');
    const nearly = history(12_000, 30_000);
    const left = 1_000 + tokensOfMessages(shortenResults(nearly));
    expect(left).toBeLessThan(8_000);
    expect(left).toBeGreaterThan(8_000 * 0.6);
    expect(planCompaction(input({ history: nearly, ownTokens: 2_000 }))).toBe('summarise');
  });

  it('summarises when results were shortened without effect', () => {
    const steps = [row('summary')];
    expect(planCompaction(input({ history: history(30_000, 30_000), steps }))).toBe('summarise');
    expect(planCompaction(input({ steps }))).toBe('none');
  });

  it('does nothing in the middle of a turn, after a summary, without a history, or where it would not help', () => {
    expect(planCompaction(input({ steps: [row('model', 'Hm.')] }))).toBe('none');
    expect(planCompaction(input({ steps: [row('summary', 'In short.')] }))).toBe('none');
    expect(planCompaction(input({ history: [], ownTokens: 50_000 }))).toBe('none');
    expect(planCompaction(input({ ownTokens: 7_500 }))).toBe('none');
  });
});
