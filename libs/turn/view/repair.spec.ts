import { describe, expect, it } from '@jest/globals';
import { toolEndSchema, type ConversationEvent, type Journal, type View } from '#contracts';
import {
  at,
  callRow,
  claimRow,
  CONVERSATION_ID,
  journalOf,
  outcomeRow,
  stepRow,
  turnRow,
} from '../testing/rows.js';
import { reduce } from './reduce.js';
import { endsBetween } from './repair.js';
import { toolEndEvent, toolEndOfView } from './tool-end.js';
import { viewOf } from './view-of.js';

const claims = [claimRow('turn_1', 1, { owner: 'orchestrator-1', at: at(50) })];
const asked = stepRow(1, 'Let me see.', [callRow(1), callRow(2)]);
const error = { error_type: 'TimeoutError', error_message: 'Too slow.', error_details: { limit_ms: 30 } };
const failed = outcomeRow(2, { status: 'failure', data: null, error });
const view = (...rows: Partial<Journal>[]): View =>
  viewOf({ _id: CONVERSATION_ID, title: '' }, rows.map(journalOf), false);
const typesOf = (events: ConversationEvent[]) => events.map(({ type }) => type);

describe('endsBetween', () => {
  const before = view({ claims, steps: [asked], outcomes: [outcomeRow(1)] });
  const rows = { claims, steps: [asked, stepRow(2, 'Five.')], outcomes: [outcomeRow(1), failed] };
  const after = view(rows);

  it('lists the ends of calls, then the end of the turn, and nothing twice', () => {
    const ends = endsBetween(before, after, at(999));
    expect(ends).toEqual([
      toolEndEvent(callRow(2), failed),
      {
        type: 'complete',
        conversation_id: CONVERSATION_ID,
        turn_id: 'turn_1',
        timestamp: at(200),
        message_id: 'turn_1:2',
        content: 'Five.',
        usage: { input_tokens: 20, output_tokens: 10, cached_tokens: 2 },
      },
    ]);
    expect(endsBetween(after, after, at(999))).toEqual([]);
  });

  it('leaves the repaired view unchanged', () => {
    for (const end of endsBetween(before, after, at(999))) expect(reduce(after, end)).toBe(after);
  });

  it('lists the ends of steps and turns that were missed entirely', () => {
    expect(typesOf(endsBetween(view({ claims }), after, at(0)))).toEqual([
      'tool_complete',
      'tool_error',
      'complete',
    ]);
    const second = { turn: turnRow(2), steps: [stepRow(1, '', [], { kind: 'cancel' as const })] };
    expect(typesOf(endsBetween(after, view(rows, second), at(0)))).toEqual(['cancelled']);
  });

  it('lists nothing for older turns that come into view', () => {
    const second = view({ turn: turnRow(2) });
    expect(endsBetween(second, { ...second, turns: [...after.turns, ...second.turns] }, at(0))).toEqual([]);
  });

  it('contains the reason of a failed turn', () => {
    const reason = { code: 'refused' as const, message: 'The model declined.' };
    const fail = stepRow(1, '', [], { kind: 'fail', error: reason });
    expect(endsBetween(view({ claims }), view({ claims, steps: [fail] }), at(0))).toMatchObject([
      { type: 'error', ...reason },
    ]);
  });
});

describe('toolEndOfView', () => {
  it('returns the event that the view came from', () => {
    const place = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', step: 1, timestamp: at(0) };
    const [step] = view({ claims, steps: [asked], outcomes: [outcomeRow(1), failed] }).turns[0]!.steps;
    const ends = step!.calls.map((call) => toolEndOfView(call, place));
    expect(ends).toEqual([toolEndEvent(callRow(1), outcomeRow(1)), toolEndEvent(callRow(2), failed)]);
    for (const end of ends) expect(toolEndSchema.parse(end)).toStrictEqual(end);
  });

  it('contains how a call succeeded when that is unusual', () => {
    for (const status of ['partial_success', 'no_change_needed'] as const) {
      const outcome = outcomeRow(1, { status });
      const end = toolEndEvent(callRow(1), outcome);
      const rows = { claims, steps: [stepRow(1, '', [callRow(1)])] };
      const read = view({ ...rows, outcomes: [outcome] });
      const [call] = read.turns[0]!.steps[0]!.calls;
      expect(call).toMatchObject({ state: 'succeeded', status });
      expect(reduce(view(rows), end)).toEqual(read);
      const place = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', step: 1, timestamp: at(0) };
      expect(toolEndOfView(call!, place)).toEqual(end);
    }
  });

  it('names the artifacts of a result, and omits an empty list', () => {
    const artifacts = [{ id: 'art_1', content_type: 'image/png', size: 3 }];
    const outcome = outcomeRow(1, { data: { text: 'big', artifacts: ['art_1'] }, artifacts });
    const end = toolEndEvent(callRow(1), outcome);
    expect(end).toMatchObject({ tool_result: 'big', artifacts });
    expect(toolEndEvent(callRow(1), outcomeRow(1, { artifacts: [] }))).not.toHaveProperty('artifacts');
    const rows = { claims, steps: [stepRow(1, '', [callRow(1)])] };
    const read = view({ ...rows, outcomes: [outcome] });
    const [call] = read.turns[0]!.steps[0]!.calls;
    expect(call).toMatchObject({ artifacts });
    expect(reduce(view(rows), end)).toEqual(read);
    const place = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', step: 1, timestamp: at(0) };
    expect(toolEndOfView(call!, place)).toEqual(end);
  });
});
