import { describe, expect, it } from '@jest/globals';
import { toAnswer, toQuestion } from './mcp-questions.js';

const question = { turn_id: 'turn_1', tool_call_id: `call_${'a'.repeat(22)}`, asks: 'approval' as const };

describe('the answer of an MCP client', () => {
  it('names the question that was asked', () => {
    expect(toQuestion(JSON.stringify(question))).toEqual(question);
  });

  it.each([
    ['nothing', undefined],
    ['text', 'garbage'],
    ['another shape', '{"turn_id":"turn_1"}'],
    ['an id that is a query', JSON.stringify({ ...question, turn_id: { $ne: null } })],
  ])('has no question when its request state is %s', (_what, state) => {
    expect(toQuestion(state)).toBeUndefined();
  });

  it('approves only with an explicit approval', () => {
    const answer = (action: 'accept' | 'decline' | 'cancel', content?: Record<string, unknown>) =>
      toAnswer(question, { kind: 'elicit', action, content }).does;
    expect(answer('accept', { approve: true })).toBe('approve');
    expect(answer('accept', { approve: 'true' })).toBe('deny');
    expect(answer('accept')).toBe('deny');
    expect(answer('decline', { approve: true })).toBe('deny');
    expect(answer('cancel')).toBe('nothing');
    expect(toAnswer(question, { kind: 'missing' }).does).toBe('nothing');
  });

  it('answers a tool’s question, including with a refusal', () => {
    const input = { ...question, asks: 'input' as const, number: 2 };
    expect(toQuestion(JSON.stringify(input))).toEqual(input);
    const answer = (action: 'accept' | 'decline' | 'cancel') =>
      toAnswer(input, { kind: 'elicit', action, content: { a: 1 } });
    expect(answer('accept')).toEqual({ does: 'input', action: 'accept', content: { a: 1 } });
    expect(answer('decline')).toEqual({ does: 'input', action: 'decline' });
    expect(answer('cancel')).toEqual({ does: 'nothing' });
  });
});
