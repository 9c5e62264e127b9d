import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent } from '#contracts';
import { callId, callRow, journalOf, outcomeRow, stepRow, turnRow } from '../testing/rows.js';
import { emptyView, reduce } from '../view/reduce.js';
import { eventsOfCommit } from '../testing/step-events.js';
import { turnViewOf } from '../view/view-of.js';
import { compacted, compactionOf, shortenResults, withoutSummary } from './compaction.js';
import type { ModelMessage } from './model-message.js';
import { assertTranscript } from './transcript-invariant.js';
import { messagesOfTurn } from './transcript.js';

const summary = (text: string, n = 1) => stepRow(n, text, [], { kind: 'summary' });

/** A turn with one call whose result is `text`. */
function historyWith(text: string): ModelMessage[] {
  const picture = { id: 'art_1', content_type: 'image/png', size: 70 };
  const outcomes = [outcomeRow(1, { data: { text }, artifacts: [picture] })];
  const steps = [stepRow(1, 'Let me see.', [callRow(1)]), stepRow(2, 'So.')];
  return messagesOfTurn(journalOf({ steps, outcomes }));
}
function resultIn(messages: ModelMessage[]) {
  const [item] = messages[2]!.content;
  return item?.type === 'tool_result' ? item : undefined;
}

describe('compactionOf', () => {
  it('is the last summary of the earlier history, or else the shortening of results', () => {
    expect(compactionOf([stepRow(1, 'Five.')])).toBeUndefined();
    expect(compactionOf([summary('')])).toEqual({ how: 'shortened' });
    expect(compactionOf([summary(''), summary('In short.', 2), stepRow(3, 'Five.')])).toEqual({
      how: 'summarised',
      text: 'In short.',
    });
  });
});

describe('compacted', () => {
  it('leaves the history as it is, shortens it, or replaces it', () => {
    const history = historyWith('x'.repeat(2_000));
    expect(compacted(history, [])).toBe(history);
    expect(compacted(history, [summary('')])).toEqual(shortenResults(history));
    expect(compacted(history, [summary('In short.')])).toEqual([]);
  });
});

describe('shortenResults', () => {
  const long = `${'a'.repeat(300)}${'b'.repeat(1_000)}${'c'.repeat(100)}`;

  it('keeps both ends of a long result, and its call id', () => {
    const history = historyWith(long);
    const shortened = shortenResults(history);
    assertTranscript(shortened);
    expect(resultIn(shortened)).toEqual({
      type: 'tool_result',
      tool_call_id: callId(1),
      is_error: false,
      text: `${'a'.repeat(300)}\n[${resultIn(history)!.text.length - 400} characters left out]\n${resultIn(history)!.text.slice(-100)}`,
    });
    expect(shortened.filter((_, i) => i !== 2)).toEqual(history.filter((_, i) => i !== 2));
    expect(resultIn(history)?.images).toHaveLength(1);
  });

  it('is idempotent, and never splits a surrogate pair', () => {
    for (const text of ['short', long, '😀'.repeat(400), `a${'😀'.repeat(400)}`]) {
      const once = shortenResults(historyWith(text));
      expect(shortenResults(once)).toEqual(once);
      // What is not well-formed does not survive UTF-8.
      const { text: kept } = resultIn(once)!;
      expect(Buffer.from(kept).toString()).toBe(kept);
    }
  });
});

describe('a turn that has compacted the history before it', () => {
  const steps = [summary('They like tea.'), stepRow(2, 'Tea it is.')];

  it('begins with the summary, which is not one of its steps', () => {
    expect(messagesOfTurn(journalOf({ turn: turnRow(2), steps }))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'They like tea.', summary: true },
          { type: 'text', text: 'Question 2' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Tea it is.' }] },
    ]);
  });

  it('begins a history whose summary differs from any message of a user', () => {
    const said = messagesOfTurn(journalOf({ turn: turnRow(2), steps }));
    const { summary: found, messages } = withoutSummary(said);
    expect(found).toBe('They like tea.');
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Question 2' }] }, said[1]]);
    expect(said[0]!.content).toHaveLength(2);
    expect(withoutSummary(messages)).toEqual({ summary: undefined, messages });
    expect(withoutSummary([])).toEqual({ summary: undefined, messages: [] });
  });

  it('does not mention results that it has shortened', () => {
    const [first] = messagesOfTurn(journalOf({ turn: turnRow(2), steps: [summary(''), steps[1]!] }));
    expect(first).toEqual({ role: 'user', content: [{ type: 'text', text: 'Question 2' }] });
  });

  it('keeps the summary when it is stopped before any answer', () => {
    const stopped = [steps[0]!, stepRow(2, '', [], { kind: 'cancel' })];
    const messages = messagesOfTurn(journalOf({ turn: turnRow(2), steps: stopped }));
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('They like tea.');
    expect(JSON.stringify(messages)).toContain('The user stopped');
  });
});

describe('a summary step in the view', () => {
  it('is a step without text that carries the summary, from rows and from events alike', () => {
    const row = summary('They like tea.');
    const turn = turnRow(2, { _id: 'turn_1' });
    const [shown] = turnViewOf(journalOf({ turn, steps: [row] })).steps;
    expect(shown).toEqual({
      n: 1,
      attempt: 100,
      text: '',
      summary: 'They like tea.',
      committed: true,
      calls: [],
    });
    const place = { conversation_id: row.conversation_id, turn_id: 'turn_1', timestamp: row.at };
    const started = { ...place, step: 1, attempt: 100 };
    const events: ConversationEvent[] = [
      { type: 'turn_queued', ...place, number: 2, content: 'Q', client_message_id: 'm', by: 'ann' },
      { type: 'turn_started', ...place, number: 2 },
      { type: 'step_started', ...started, settled: [] },
      ...eventsOfCommit(journalOf({ turn, steps: [row] }), row),
    ];
    const view = events.reduce(reduce, emptyView(row.conversation_id));
    expect(view.turns[0]!.steps).toEqual([shown]);
  });
});
