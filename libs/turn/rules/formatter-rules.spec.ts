import { describe, expect, it } from '@jest/globals';
import type { Call, Outcome, Step } from '#contracts';
import { callRow, journalOf, outcomeRow, stepRow, turnRow } from '../testing/rows.js';
import { answerDue, isEndless, unreadableAnswers } from './formatter-rules.js';

const withFormatter = turnRow(1, { options: { formatter: true } });
const due = (steps: Step[], outcomes: Outcome[] = [], turn = withFormatter) =>
  answerDue(journalOf({ turn, steps, outcomes }));
const add = (number: number, args: Call['arguments'] = { a: number }) => callRow(number, { arguments: args });
const think = (number: number) => callRow(number, { tool_name: 'thinking.sequentialthinking' });
const said = (number: number, text: string) => outcomeRow(number, { data: { text } });

describe('answerDue', () => {
  it('is never set in a turn without a formatter, nor before the first step', () => {
    expect(due([stepRow(1, 'Done.')], [], turnRow())).toBeUndefined();
    expect(due([])).toBeUndefined();
  });

  it('is set after the first step without calls, unless the model paused', () => {
    expect(due([stepRow(1, '', [add(1)]), stepRow(2, 'Five.')])).toBe('said');
    expect(due([stepRow(1, 'Wait', [], { stop_reason: 'pause_turn' })])).toBeUndefined();
    expect(due([stepRow(1, '', [add(1)])])).toBeUndefined();
  });

  it('is set after five steps with calls, or as many as the turn is configured for', () => {
    const steps = [1, 2, 3, 4, 5].map((n) => stepRow(n, '', [add(n)]));
    expect(due(steps.slice(0, 4))).toBeUndefined();
    expect(due(steps)).toBe('stopped');
    const two = turnRow(1, { options: { formatter: true, max_tool_steps: 2 } });
    expect(due(steps.slice(0, 1), [], two)).toBeUndefined();
    expect(due(steps.slice(0, 2), [], two)).toBe('stopped');
  });

  it.each([
    ['{"thoughtNumber":3,"nextThoughtNeeded":false}', 'stopped'],
    ['{"thoughtNumber":1,"nextThoughtNeeded":true}', undefined],
    ['That is all I can think of.', 'stopped'],
  ])('of a sequential thought that came to %s is %s', (text, expected) => {
    expect(due([stepRow(1, '', [add(2), think(1)])], [outcomeRow(2), said(1, text)])).toBe(expected);
  });

  it('ignores a failed thought, and the same result of another tool', () => {
    const error = { error_type: 'ToolExecutionError', error_message: 'no' };
    const failed = outcomeRow(1, { status: 'failure', data: null, error });
    expect(due([stepRow(1, '', [think(1)])], [failed])).toBeUndefined();
    const text = '{"nextThoughtNeeded":false}';
    expect(due([stepRow(1, '', [add(1)])], [said(1, text)])).toBeUndefined();
  });

  it('is set again after an unreadable answer, for the same reason', () => {
    const unreadable = (n: number) => stepRow(n, '', [], { final: false });
    const spoken = [stepRow(1, 'Five.'), unreadable(2)];
    expect(due(spoken)).toBe('said');
    expect(unreadableAnswers(spoken)).toBe(1);
    const thought = [stepRow(1, '', [think(1)]), unreadable(2)];
    expect(due(thought, [said(1, 'enough')])).toBe('stopped');
  });
});

describe('identical calls for the third time in a row', () => {
  const same = (n: number) => stepRow(n, '', [add(n, { a: 1, b: [2, { c: 3 }] }), add(n + 10, { x: 1 })]);
  const again = [add(21, { x: 1 }), add(22, { b: [2, { c: 3 }], a: 1 })];

  it('are detected regardless of the order of calls and keys, even across a pause', () => {
    expect(isEndless([same(1)], again)).toBe(false);
    expect(isEndless([same(1), same(2)], again)).toBe(true);
    const pause = stepRow(2, 'Wait', [], { stop_reason: 'pause_turn' });
    expect(isEndless([same(1), pause, same(3)], again)).toBe(true);
  });

  it('end the loop', () => {
    const steps = [same(1), same(2), stepRow(3, '', again)];
    expect(due(steps.slice(0, 2))).toBeUndefined();
    expect(due(steps)).toBe('stopped');
  });

  it('differ by one more call, other arguments, another tool, or other calls in between', () => {
    expect(isEndless([same(1), same(2)], [...again, add(23)])).toBe(false);
    expect(isEndless([same(1), same(2)], [again[0]!, add(22, { a: 1, b: [{ c: 3 }, 2] })])).toBe(false);
    expect(isEndless([same(1), same(2)], [again[0]!, { ...again[1]!, tool_name: 'math.sum' }])).toBe(false);
    expect(isEndless([same(1), stepRow(2, '', [add(5)]), same(3)], again)).toBe(false);
    expect(isEndless([stepRow(1, 'a'), stepRow(2, 'b')], [])).toBe(false);
  });
});
