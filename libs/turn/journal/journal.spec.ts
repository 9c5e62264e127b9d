import { describe, expect, it } from '@jest/globals';
import { answerRow, callId, callRow, claimRow, journalOf, outcomeRow, stepRow } from '../testing/rows.js';
import {
  approvedTools,
  claimsOn,
  endingStep,
  holderOf,
  inputId,
  nextStepNumber,
  openCalls,
  statusOf,
  totalUsage,
} from './journal.js';

const claimed = [claimRow('turn_1', 1, { owner: 'orchestrator-1' })];
const question = { message: 'Which?', schema: {}, expires_at: '2026-01-02T00:00:00.000Z' };
const approved = answerRow(1, 'approval', { decision: 'approve' });

describe('statusOf', () => {
  it('is queued until the turn is claimed, then running', () => {
    expect(statusOf(journalOf())).toBe('queued');
    expect(statusOf(journalOf({ claims: claimed }))).toBe('running');
  });

  it.each([
    ['cancel', 'cancelled'],
    ['fail', 'failed'],
    ['model', 'completed'],
  ] as const)('follows from a last row of kind %s, claimed or not', (kind, status) => {
    expect(statusOf(journalOf({ steps: [stepRow(1, 'x', [], { kind })] }))).toBe(status);
    expect(statusOf(journalOf({ steps: [stepRow(1, 'x', [], { kind })], claims: claimed }))).toBe(status);
  });

  it('awaits input only while every open call waits for a person', () => {
    const needsApproval = callRow(1, { approval: 'required' });
    const steps = [stepRow(1, '', [needsApproval, callRow(2)])];
    expect(statusOf(journalOf({ steps, claims: claimed }))).toBe('running');
    const outcomes = [outcomeRow(2)];
    expect(statusOf(journalOf({ steps, claims: claimed, outcomes }))).toBe('awaiting_input');
    expect(statusOf(journalOf({ steps, claims: claimed, outcomes, answers: [approved] }))).toBe('running');
  });

  it('awaits input for a question that a call asked', () => {
    const steps = [stepRow(1, '', [callRow(1)])];
    const asked = answerRow(1, 'question', { question });
    expect(statusOf(journalOf({ steps, claims: claimed, answers: [asked] }))).toBe('awaiting_input');
    const answers = [asked, answerRow(1, 'input', { content: {} })];
    expect(statusOf(journalOf({ steps, claims: claimed, answers }))).toBe('running');
    const second = { ...asked, _id: inputId(callId(1), 'question', 2) };
    expect(statusOf(journalOf({ steps, claims: claimed, answers: [...answers, second] }))).toBe(
      'awaiting_input',
    );
    // The first one was given up with the worker that asked it.
    const late = answerRow(1, 'input', { _id: inputId(callId(1), 'input', 2) });
    expect(statusOf(journalOf({ steps, claims: claimed, answers: [asked, second, late] }))).toBe('running');
  });
});

describe('approvedTools', () => {
  it('names the tools of calls that a person approved, and no others', () => {
    const calls = ['mail.send', 'mail.move', 'mail.delete', 'mail.ask'].map((tool_name, index) =>
      callRow(index + 1, { tool_name, approval: 'required' }),
    );
    const answers = [
      approved,
      answerRow(2, 'approval', { decision: 'deny' }),
      answerRow(3, 'approval', { decision: 'expired' }),
      answerRow(4, 'input', { content: {} }),
    ];
    expect(approvedTools({ steps: [stepRow(1, '', calls)], answers })).toEqual(['mail.send']);
  });
});

describe('a journal', () => {
  it('numbers the next row after the last', () => {
    expect(nextStepNumber(journalOf())).toBe(1);
    expect(nextStepNumber(journalOf({ steps: [stepRow(1), stepRow(2)] }))).toBe(3);
  });

  it('has ended only if its last row ends it', () => {
    expect(endingStep(journalOf())).toBeUndefined();
    expect(endingStep(journalOf({ steps: [stepRow(1, '', [callRow(1)])] }))).toBeUndefined();
    const last = stepRow(2, 'Done.');
    expect(endingStep(journalOf({ steps: [stepRow(1, '', [callRow(1)]), last] }))).toBe(last);
  });

  it('distinguishes claims on the turn from claims on its calls, by attempt', () => {
    const [one, two] = [claimRow('turn_1', 1), claimRow('turn_1', 2)];
    const ofCall = claimRow(callId(1), 1);
    const journal = journalOf({ claims: [two, ofCall, one] });
    expect(claimsOn(journal, 'turn_1')).toEqual([one, two]);
    expect(holderOf(journal, 'turn_1')).toBe(two);
    expect(holderOf(journal, callId(1))).toBe(ofCall);
    expect(holderOf(journal, 'turn')).toBeUndefined();
  });

  it('lists open calls in the order they were asked for', () => {
    const steps = [stepRow(1, '', [callRow(1), callRow(2)]), stepRow(2, '', [callRow(3)])];
    const open = openCalls(journalOf({ steps, outcomes: [outcomeRow(2)] }));
    expect(open.map(({ step, call }) => [step.n, call.tool_call_id])).toEqual([
      [1, callId(1)],
      [2, callId(3)],
    ]);
  });

  it('adds up usage over rows that have it', () => {
    expect(totalUsage([stepRow(1), stepRow(2), stepRow(3, '', [], { usage: null })])).toEqual({
      input_tokens: 20,
      output_tokens: 10,
      cached_tokens: 2,
    });
  });
});
