import { describe, expect, it } from '@jest/globals';
import {
  after,
  ASKED,
  callOf,
  committed,
  SAID,
  STARTED,
  turnOf,
  verdictOn,
} from '../testing/apply-events.js';
import { at, CONVERSATION_ID } from '../testing/rows.js';
import { callView, event, toolComplete, toolError, toolStart } from '../testing/sample-events.js';
import { emptyView, reduce, reduceEvent } from './reduce.js';

describe('reduce: a turn', () => {
  it('is shown as queued once, in the order of numbers', () => {
    const second = event('turn_queued', { turn_id: 'turn_2', number: 2 });
    const view = after(second, event('turn_queued'));
    expect(view.turns.map((turn) => [turn.turn_id, turn.status])).toEqual([
      ['turn_1', 'queued'],
      ['turn_2', 'queued'],
    ]);
    expect(verdictOn([second], second)).toBe('known');
  });

  it('is not shown again when it is older than all turns in the view', () => {
    const view = { ...after(event('turn_queued', { turn_id: 'turn_9', number: 9 })), earlier: true };
    expect(reduceEvent(view, event('turn_queued')).verdict).toBe('known');
    expect(reduceEvent(view, event('turn_queued', { turn_id: 'turn_10', number: 10 })).verdict).toBe(
      'applied',
    );
  });

  it('starts once', () => {
    const view = after(...STARTED.slice(0, 2));
    expect(turnOf(view)).toMatchObject({ status: 'running', started_at: at(50) });
    expect(verdictOn(STARTED, event('turn_started', { timestamp: at(50) }))).toBe('known');
  });

  it('that was stopped before its start was announced is read again, so that no start follows an end', () => {
    expect(verdictOn([event('turn_queued'), event('cancelled')], event('turn_started'))).toBe('gap');
  });

  it.each([
    'turn_started',
    'step_started',
    'token',
    'step_restarted',
    'step_committed',
    'complete',
    'cancelled',
    'error',
    'waiting',
    'thinking',
    'tool_progress',
  ] as const)('that is unknown causes a gap at its %s', (type) => {
    expect(verdictOn([], event(type))).toBe('gap');
  });
});

describe('reduce: a step', () => {
  it('starts after the turn has started and the previous step is done', () => {
    expect(verdictOn([event('turn_queued')], event('step_started'))).toBe('gap');
    expect(verdictOn(SAID, event('step_started', { step: 2 }))).toBe('gap');
    expect(verdictOn(committed(), event('step_started', { step: 3 }))).toBe('gap');
    expect(verdictOn(committed(), event('step_started', { step: 2 }))).toBe('applied');
  });

  it('brings the ends of the previous step’s calls, and is a gap without them', () => {
    const settled = [toolComplete(1), toolError(2)];
    expect(verdictOn(ASKED, event('step_started', { step: 2, settled: [toolComplete(1)] }))).toBe('gap');
    const view = after(...ASKED, event('step_started', { step: 2, settled }));
    expect(turnOf(view).steps[0]!.calls.map((call) => call.state)).toEqual(['succeeded', 'failed']);
    expect(turnOf(view).steps[1]).toEqual({ n: 2, attempt: 100, text: '', calls: [] });
    const known = after(
      ...ASKED,
      toolComplete(1),
      event('step_started', { step: 2, settled: [toolError(2)] }),
    );
    expect(known).toEqual(view);
  });

  it('is emptied by the first event of a higher attempt, of any type', () => {
    const restarts = [
      event('step_restarted', { attempt: 200 }),
      event('step_started', { attempt: 200 }),
      event('token', { attempt: 200, content: 'New' }),
    ];
    for (const restart of restarts) {
      const [step] = turnOf(after(...SAID, restart)).steps;
      expect(step).toMatchObject({ attempt: 200, text: restart.type === 'token' ? 'New' : '' });
    }
    expect(verdictOn(SAID, event('token', { attempt: 200, content: '', offset: 0 }))).toBe('applied');
  });

  it('ignores events of an older attempt', () => {
    const later = [...SAID, event('step_restarted', { attempt: 200 })];
    expect(verdictOn(later, event('token', { offset: 5, content: ' there' }))).toBe('known');
    expect(verdictOn(later, event('step_started'))).toBe('known');
    expect(verdictOn(later, event('step_restarted', { attempt: 101 }))).toBe('known');
    expect(verdictOn(later, event('thinking'))).toBe('known');
    expect(verdictOn(later, event('thinking', { attempt: 200 }))).toBe('passing');
  });

  it('appends text at its end, cuts overlaps, and reports a gap for missing text', () => {
    const next = event('token', { offset: 5, content: ' there' });
    expect(turnOf(after(...SAID, next)).steps[0]!.text).toBe('Hello there');
    expect(verdictOn(SAID, event('token', { offset: 6, content: 'x' }))).toBe('gap');
    expect(verdictOn(SAID, event('token', { offset: 1, content: 'ell' }))).toBe('known');
    const overlapping = reduceEvent(after(...SAID), event('token', { offset: 3, content: 'lo there' }));
    expect(overlapping).toMatchObject({ verdict: 'applied', event: { offset: 5, content: ' there' } });
    expect(verdictOn(SAID, event('token', { attempt: 200, offset: 1, content: 'x' }))).toBe('gap');
  });

  it('is committed only with the attempt and the length of the row', () => {
    expect(turnOf(after(...committed())).steps[0]).toMatchObject({ committed: true, text: 'Hello' });
    expect(verdictOn(SAID, event('step_committed', { text_length: 6 }))).toBe('gap');
    expect(verdictOn(SAID, event('step_committed', { attempt: 200 }))).toBe('gap');
    expect(verdictOn(committed(), event('step_committed', { attempt: 200 }))).toBe('known');
    expect(verdictOn(STARTED.slice(0, 2), event('step_committed'))).toBe('gap');
  });

  it('does not change once it is committed', () => {
    for (const late of [
      event('token', { offset: 5, content: '!' }),
      event('token', { attempt: 900, content: 'x' }),
      event('step_restarted', { attempt: 900 }),
      event('step_started', { attempt: 900 }),
    ])
      expect(verdictOn(committed(), late)).toBe('known');
  });

  it('keeps the text of the row', () => {
    const said = (fields: object) => turnOf(after(...SAID, event('step_committed', fields))).steps[0];
    expect(said({ replaces: [1] })).toMatchObject({ committed: true, replaces: [1] });
    expect(said({})).not.toHaveProperty('replaces');
  });

  it('keeps the states of its calls from before the row was announced, under the names of the row', () => {
    const args = { text: 'x'.repeat(5_000) };
    const early = toolStart(1, { display_name: 'math.add', tool_args: args });
    const view = after(
      ...SAID,
      early,
      event('step_committed', { calls: [callView(1, { args }), callView(2)] }),
    );
    expect(callOf(view)).toMatchObject({
      state: 'running',
      attempt: 1,
      display_name: 'add',
      truncated: true,
    });
    expect(callOf(view, 2).state).toBe('queued');
  });
});

describe('reduce: the end of a turn', () => {
  it('is complete when all earlier events are there', () => {
    const complete = event('complete', { timestamp: at(900) });
    expect(turnOf(after(...committed(), complete))).toMatchObject({
      status: 'completed',
      ended_at: at(900),
      message_id: 'turn_1:1',
      usage: { output_tokens: 5 },
    });
    expect(verdictOn(SAID, complete)).toBe('gap');
    expect(verdictOn(committed(), event('complete', { message_id: 'turn_1:2' }))).toBe('gap');
    expect(verdictOn(committed(), event('complete', { content: 'Other' }))).toBe('gap');
  });

  it('drops text that no row keeps', () => {
    expect(turnOf(after(...SAID, event('cancelled')))).toMatchObject({ status: 'cancelled', steps: [] });
    const error = { code: 'model_error', message: 'The model failed.' };
    expect(turnOf(after(...SAID, event('error')))).toMatchObject({ status: 'failed', error, steps: [] });
    expect(turnOf(after(...committed(), event('cancelled'))).steps).toHaveLength(1);
  });

  it('is a gap when calls show that a row is missing', () => {
    expect(verdictOn([...SAID, toolStart(1)], event('cancelled'))).toBe('gap');
    expect(verdictOn([...SAID, event('cancelled')], event('step_committed'))).toBe('gap');
    expect(verdictOn([...SAID, event('cancelled')], toolStart(1))).toBe('gap');
  });

  it('cannot be changed by later events', () => {
    const ended = [...ASKED, event('cancelled')];
    const late = [event('cancelled'), event('error'), event('complete'), event('token'), event('waiting')];
    for (const next of [...late, event('thinking'), event('step_started', { step: 2 })])
      expect(verdictOn(ended, next)).toBe('known');
    const view = after(...ended, toolComplete(1));
    expect(callOf(view).state).toBe('succeeded');
    expect(turnOf(view).status).toBe('cancelled');
  });
});

it('reduce replaces the view with a snapshot', () => {
  const view = after(...ASKED);
  const snapshot = { type: 'snapshot' as const, conversation_id: CONVERSATION_ID, timestamp: at(0), view };
  expect(reduce(emptyView(CONVERSATION_ID), snapshot)).toBe(view);
});
