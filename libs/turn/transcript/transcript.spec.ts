import { describe, expect, it } from '@jest/globals';
import type { Block } from '#contracts';
import { callId, callRow, journalOf, outcomeRow, stepRow, turnRow } from '../testing/rows.js';
import type { ModelMessage } from './model-message.js';
import { appendMessages, messagesOfTurn } from './transcript.js';

const question: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Question 1' }] };
const text = (words: string) => ({ type: 'text' as const, text: words });
const result = (number: number, words: string, is_error = false) => ({
  type: 'tool_result' as const,
  tool_call_id: callId(number),
  text: words,
  is_error,
});
const cancelled = (number: number) =>
  result(number, 'Cancelled: The turn ended before this call was answered.', true);
const STOPPED = text('[The user stopped the previous answer before it was complete.]');
const FAILED = text('[The previous answer broke off because of an error.]');

describe('messagesOfTurn', () => {
  it('returns question, step, results, answer', () => {
    const steps = [stepRow(1, 'Let me see.', [callRow(1), callRow(2)]), stepRow(2, 'Five.')];
    const error = { error_type: 'TimeoutError', error_message: 'Too slow.' };
    const outcomes = [outcomeRow(2, { status: 'failure', data: null, error }), outcomeRow(1)];
    expect(messagesOfTurn(journalOf({ steps, outcomes }))).toEqual([
      question,
      { role: 'assistant', content: steps[0]!.blocks },
      { role: 'user', content: [result(1, '5'), result(2, 'TimeoutError: Too slow.', true)] },
      { role: 'assistant', content: [text('Five.')] },
    ]);
  });

  it('puts the context of the message before the message', () => {
    const turn = turnRow(1, { options: { context: 'A document.' } });
    expect(messagesOfTurn(journalOf({ turn }))).toEqual([
      { role: 'user', content: [text('A document.'), text('Question 1')] },
    ]);
  });

  it('contains the stored answer, both before and after its step exists', () => {
    const turn = turnRow(1, { options: { answer: 'Five.' } });
    const exchange = [question, { role: 'assistant', content: [text('Five.')] }];
    expect(messagesOfTurn(journalOf({ turn }))).toEqual(exchange);
    expect(messagesOfTurn(journalOf({ turn, steps: [stepRow(1, 'Five.')] }))).toEqual(exchange);
    expect(messagesOfTurn(journalOf({ turn, steps: [stepRow(1, '', [], { kind: 'cancel' })] }))).toEqual(
      exchange,
    );
    expect(messagesOfTurn(journalOf({ turn: turnRow(1, { options: { answer: '' } }) }))).toEqual([question]);
  });

  it('contains the answer of a formatter instead of the preceding text', () => {
    const turn = turnRow(1, { options: { formatter: true } });
    const steps = [
      stepRow(1, 'Let me see.', [callRow(1)]),
      stepRow(2, 'Five.'),
      stepRow(3, '', [], { final: false }),
    ];
    const asked = messagesOfTurn(journalOf({ turn, steps, outcomes: [outcomeRow(1)] }));
    expect(asked.at(-1)).toEqual({ role: 'assistant', content: [text('Five.')] });
    steps.push(stepRow(4, 'It is five.', [], { final: true }));
    const answered = messagesOfTurn(journalOf({ turn, steps, outcomes: [outcomeRow(1)] }));
    expect(answered.slice(0, -1)).toEqual(asked.slice(0, -1));
    expect(answered.at(-1)).toEqual({ role: 'assistant', content: [text('It is five.')] });
  });

  it('marks only failures as errors', () => {
    const steps = [stepRow(1, '', [callRow(1)])];
    const error = { error_type: 'PermissionError', error_message: 'Two files.' };
    const outcomes = [outcomeRow(1, { status: 'partial_success', data: { text: 'Three.' }, error })];
    expect(messagesOfTurn(journalOf({ steps, outcomes })).at(-1)).toEqual({
      role: 'user',
      content: [result(1, 'Three.\nPermissionError: Two files.')],
    });
  });

  it('tells the model how a result breaks the output schema of its tool', () => {
    const steps = [stepRow(1, '', [callRow(1)])];
    const outcomes = [outcomeRow(1, { data: { text: 'Three.' }, output_problem: 'sum is required' })];
    const note = '[The result breaks the output schema of its tool: sum is required.]';
    expect(messagesOfTurn(journalOf({ steps, outcomes })).at(-1)).toEqual({
      role: 'user',
      content: [result(1, `Three.\n${note}`)],
    });
  });

  it('names the artifacts of a call, and refers to its pictures unless it failed', () => {
    const steps = [stepRow(1, '', [callRow(1), callRow(2)])];
    const picture = { id: 'art_1', content_type: 'image/png', size: 70 };
    const page = { id: 'art_2', content_type: 'text/html', size: 9, name: 'page.html' };
    const artifacts = [picture, page];
    const error = { error_type: 'ToolExecutionError', error_message: 'No.' };
    const outcomes = [
      outcomeRow(1, { data: { text: 'See [image art_1].' }, artifacts }),
      outcomeRow(2, { status: 'failure', data: null, error, artifacts: [picture] }),
    ];
    const images = [{ artifact_id: 'art_1', content_type: 'image/png', size: 70 }];
    const named = '[artifact art_2: page.html, text/html, 9 bytes]';
    const failed = 'ToolExecutionError: No.\n[artifact art_1: image/png, 70 bytes]';
    expect(messagesOfTurn(journalOf({ steps, outcomes })).at(-1)).toEqual({
      role: 'user',
      content: [{ ...result(1, `See [image art_1].\n${named}`), images }, result(2, failed, true)],
    });
  });

  it('answers a call without an outcome, so that no call stays unanswered', () => {
    const steps = [stepRow(1, '', [callRow(1)])];
    expect(messagesOfTurn(journalOf({ steps })).at(-1)).toEqual({ role: 'user', content: [cancelled(1)] });
  });

  it('drops blank text, thinking that no provider takes back, thinking at the end, and empty messages', () => {
    const thinking = (change: Partial<Extract<Block, { type: 'thinking' }>>): Block => {
      return { type: 'thinking', text: 'hm', ...change };
    };
    const signed = thinking({ signature: 'sig' });
    const redacted = thinking({ data: 'xx' });
    const blocks = [thinking({}), signed, redacted, text(' \n'), text('So.'), signed];
    const steps = [stepRow(1, '', [], { blocks })];
    expect(messagesOfTurn(journalOf({ steps }))).toEqual([
      question,
      { role: 'assistant', content: [signed, redacted, text('So.')] },
    ]);
    const silent = [stepRow(1, '', [], { blocks: [text(' '), signed] })];
    expect(messagesOfTurn(journalOf({ steps: silent }))).toEqual([question]);
  });

  it('merges the text before and after a pause', () => {
    const steps = [stepRow(1, 'One', [], { stop_reason: 'pause_turn' }), stepRow(2, 'two')];
    expect(messagesOfTurn(journalOf({ steps }))).toEqual([
      question,
      { role: 'assistant', content: [text('One'), text('two')] },
    ]);
  });

  it.each([
    ['cancel', STOPPED],
    ['fail', FAILED],
  ] as const)('keeps the partial text of a %s row and a fixed note', (kind, note) => {
    const steps = [stepRow(1, 'Half of', [], { kind })];
    expect(messagesOfTurn(journalOf({ steps }))).toEqual([
      question,
      { role: 'assistant', content: [text('Half of')] },
      { role: 'user', content: [note] },
    ]);
    const nothing = [stepRow(1, '', [], { kind })];
    expect(messagesOfTurn(journalOf({ steps: nothing }))).toEqual([
      { role: 'user', content: [...question.content, note] },
    ]);
  });

  it('reads the calls of the last model step of a stopped turn as cancelled, regardless of later outcomes', () => {
    const steps = [
      stepRow(1, '', [callRow(1)]),
      stepRow(2, '', [callRow(2)]),
      stepRow(3, 'And', [], { kind: 'cancel' }),
    ];
    const early = journalOf({ steps, outcomes: [outcomeRow(1)] });
    const late = journalOf({ steps, outcomes: [outcomeRow(1), outcomeRow(2, { n: 2 })] });
    expect(messagesOfTurn(late)).toEqual(messagesOfTurn(early));
    expect(messagesOfTurn(late)).toEqual([
      question,
      { role: 'assistant', content: steps[0]!.blocks },
      { role: 'user', content: [result(1, '5')] },
      { role: 'assistant', content: steps[1]!.blocks },
      { role: 'user', content: [cancelled(2)] },
      { role: 'assistant', content: [text('And')] },
      { role: 'user', content: [STOPPED] },
    ]);
  });
});

describe('appendMessages', () => {
  it('merges the contents of one role, results first, and never changes an existing message', () => {
    const steps = [stepRow(1, '', [callRow(1)]), stepRow(2, '', [], { kind: 'cancel' })];
    const history = messagesOfTurn(journalOf({ steps }));
    const last = history.at(-1)!;
    const before = structuredClone(last);
    appendMessages(history, messagesOfTurn(journalOf({ turn: turnRow(2) })));
    expect(history.at(-1)).toEqual({ role: 'user', content: [cancelled(1), STOPPED, text('Question 2')] });
    expect(last).toEqual(before);
    const mixed: ModelMessage[] = [{ role: 'user', content: [text('first')] }];
    appendMessages(mixed, [{ role: 'user', content: [result(1, '5')] }]);
    expect(mixed).toEqual([{ role: 'user', content: [result(1, '5'), text('first')] }]);
  });
});
