import { describe, expect, it } from '@jest/globals';
import type { CallState, ConversationEvent } from '#contracts';
import { after, ASKED, callOf, committed, SAID, turnOf, verdictOn } from '../testing/apply-events.js';
import { at } from '../testing/rows.js';
import {
  approvalRequired,
  callView,
  event,
  toolComplete,
  toolError,
  toolQueued,
  toolStart,
} from '../testing/sample-events.js';
import { reduceEvent } from './reduce.js';

describe('a tool call', () => {
  it('goes from queued to running to its end, and never back', () => {
    const states: CallState[] = [];
    const life = [toolQueued(1), toolStart(1), event('tool_progress'), toolComplete(1)];
    life.forEach((_next, i) => states.push(callOf(after(...ASKED, ...life.slice(0, i + 1))).state));
    expect(states).toEqual(['queued', 'running', 'running', 'succeeded']);
    for (const again of [...life, toolError(1), toolStart(1, { attempt: 2 })])
      expect(verdictOn([...ASKED, ...life], again)).toBe('known');
    expect(verdictOn([...ASKED, toolStart(1)], toolQueued(1))).toBe('known');
  });

  it('shows progress without keeping it', () => {
    expect(verdictOn(ASKED, toolQueued(1))).toBe('passing');
    expect(verdictOn([...ASKED, toolStart(1)], event('tool_progress'))).toBe('passing');
    expect(verdictOn(ASKED, event('tool_progress'))).toBe('known');
    expect(verdictOn(SAID, event('waiting'))).toBe('passing');
  });

  it('is sent under the name from its step', () => {
    const reduced = reduceEvent(after(...ASKED), toolStart(1, { display_name: 'math.add' }));
    expect(reduced).toMatchObject({ verdict: 'applied', event: { display_name: 'add' } });
  });

  it('starts again only with a higher attempt', () => {
    const twice = [...ASKED, toolStart(1), toolStart(1, { attempt: 2, timestamp: at(700) })];
    expect(callOf(after(...twice))).toMatchObject({ attempt: 2, started_at: at(700) });
    expect(verdictOn(twice, toolStart(1))).toBe('known');
  });

  it('starts at the time that its end states, whether or not its start was seen', () => {
    const seen = after(...ASKED, toolStart(1), toolComplete(1));
    expect(callOf(seen)).toMatchObject({
      started_at: at(480),
      ended_at: at(500),
      duration_ms: 20,
      result: '5',
    });
    expect(after(...ASKED, toolComplete(1))).toStrictEqual(seen);
    expect(callOf(after(...ASKED, toolError(1, { attempt: 0 })))).not.toHaveProperty('started_at');
  });

  it.each([
    ['TimeoutError', 'failed'],
    ['Cancelled', 'cancelled'],
    ['OutcomeUnknown', 'unknown'],
  ])('that ends with %s is %s', (error_type, state) => {
    const error_details = { started: true };
    const call = callOf(after(...ASKED, toolError(1, { error_type, error_details })));
    expect(call).toMatchObject({ state, error: { error_type, error_message: 'Too slow.', error_details } });
    expect(callOf(after(...ASKED, toolError(1, { error_details: null }))).error).not.toHaveProperty(
      'error_details',
    );
  });

  it('shows a long result cut, with a mark', () => {
    const call = callOf(after(...ASKED, toolComplete(1, { tool_result: 'x'.repeat(5_000) })));
    expect(call.result).toHaveLength(4_096);
    expect(call.truncated).toBe(true);
  });

  it('of a committed step that does not contain it is a gap', () => {
    for (const next of [toolStart(9), toolComplete(9), toolQueued(9), approvalRequired(9)])
      expect(verdictOn(ASKED, next)).toBe('gap');
    expect(verdictOn(SAID, toolQueued(1))).toBe('gap');
    expect(verdictOn(SAID, event('approval_answered'))).toBe('gap');
  });
});

describe('a call that waits for a person', () => {
  const args = { text: 'y'.repeat(6_000) };
  const waiting = callView(1, { state: 'awaiting_approval', args, expires_at: at(9_000) });
  const WAITING = committed(waiting);
  const question = { number: 1, message: 'Which?', schema: {} };

  it('parks its turn as soon as no other call is open', () => {
    expect(turnOf(after(...WAITING)).status).toBe('awaiting_input');
    const both = committed(waiting, callView(2));
    expect(turnOf(after(...both)).status).toBe('running');
    expect(turnOf(after(...both, toolComplete(2))).status).toBe('awaiting_input');
    expect(verdictOn(WAITING, approvalRequired(1))).toBe('passing');
  });

  it.each<[string, ConversationEvent, CallState]>([
    ['answered', event('approval_answered'), 'queued'],
    ['started, which implies the answer', toolStart(1, { tool_args: args }), 'running'],
    ['refused', toolError(1, { error_type: 'PermissionError', attempt: 0 }), 'failed'],
  ])('shows its full arguments until it is %s', (_what, next, state) => {
    expect(callOf(after(...WAITING)).args).toEqual(args);
    const call = callOf(after(...WAITING, next));
    expect(call).toMatchObject({ state, truncated: true });
    expect(JSON.stringify(call.args).length).toBeLessThanOrEqual(4_096);
    expect(call).not.toHaveProperty('expires_at');
    expect(turnOf(after(...WAITING, next)).status).toBe('running');
  });

  it('does not wait again for an answer that it has', () => {
    expect(verdictOn([...WAITING, event('approval_answered')], approvalRequired(1))).toBe('known');
    expect(verdictOn([...WAITING, event('approval_answered')], event('approval_answered'))).toBe('known');
  });

  it('keeps the answers and who gave them, before or after their effect arrives', () => {
    const answered = event('approval_answered', { decision: 'deny', by: 'ann' });
    const refused = toolError(1, { error_type: 'PermissionError', attempt: 0 });
    const approval = { decision: 'deny', by: 'ann' };
    expect(callOf(after(...WAITING, answered))).toMatchObject({ state: 'queued', approval });
    expect(callOf(after(...WAITING, answered, refused))).toMatchObject({ state: 'failed', approval });
    expect(after(...WAITING, refused, answered)).toStrictEqual(after(...WAITING, answered, refused));
    expect(verdictOn([...WAITING, refused, answered], answered)).toBe('known');
    const running = after(...WAITING, toolStart(1, { tool_args: args }), answered);
    expect(callOf(running)).toMatchObject({ state: 'running', approval });
  });

  it('does not decide, once answered, whether its turn still waits', () => {
    const both = [...committed(waiting, callView(2)), toolError(1, { attempt: 0 }), toolStart(2)];
    const asking = [...both, event('input_required', { tool_call_id: callView(2).tool_call_id })];
    expect(turnOf(after(...asking)).status).toBe('awaiting_input');
    expect(turnOf(after(...asking, event('approval_answered'))).status).toBe('awaiting_input');
  });

  describe('with a question of a tool', () => {
    const running = [...ASKED.slice(0, 4), event('step_committed', { calls: [callView(1)] }), toolStart(1)];
    const asking = [...running, event('input_required')];
    const answered = [...asking, event('input_answered')];

    it('waits, and continues with the answer', () => {
      expect(callOf(after(...asking))).toMatchObject({
        state: 'awaiting_input',
        question,
        expires_at: at(9_000),
      });
      expect(turnOf(after(...asking)).status).toBe('awaiting_input');
      expect(callOf(after(...answered))).toMatchObject({ state: 'running', started_at: at(400), question });
      expect(callOf(after(...answered))).not.toHaveProperty('expires_at');
      expect(turnOf(after(...answered)).status).toBe('running');
      expect(callOf(after(...answered, toolComplete(1)))).not.toHaveProperty('question');
    });

    it('applies nothing twice, and treats an early answer as a gap', () => {
      expect(verdictOn(asking, toolStart(1))).toBe('known');
      expect(verdictOn(asking, toolStart(1, { attempt: 2 }))).toBe('gap');
      expect(verdictOn(asking, event('input_required'))).toBe('known');
      expect(verdictOn(answered, event('input_required'))).toBe('known');
      expect(verdictOn(answered, event('input_answered'))).toBe('known');
      expect(verdictOn(running, event('input_answered'))).toBe('gap');
      expect(verdictOn(ASKED, event('input_required'))).toBe('gap');
    });

    it('may ask again, and an answer to an earlier question does not answer the later one', () => {
      const again = event('input_required', { number: 2, message: 'And then?', among: 3 });
      const second = { state: 'awaiting_input', question: { number: 2, message: 'And then?', among: 3 } };
      expect(callOf(after(...answered, again))).toMatchObject(second);
      expect(callOf(after(...asking, again))).toMatchObject(second);
      expect(verdictOn([...answered, again], event('input_answered'))).toBe('known');
      const next = event('input_answered', { number: 2 });
      expect(callOf(after(...answered, again, next))).toMatchObject({ state: 'running' });
      expect(verdictOn(asking, next)).toBe('gap');
    });
  });
});
