import { describe, expect, it } from '@jest/globals';
import type { CallView, Waiting } from '#contracts';
import {
  approvalText,
  argumentSummary,
  appearanceOf,
  stateText,
  explanationOf,
  workerName,
} from './call-text.js';

const call = (change: Partial<CallView>): CallView => ({
  tool_call_id: 'call_0123456789012345678901',
  tool_name: 'orders.refund',
  display_name: 'orders.refund',
  source: 'mcp',
  toolset: 'orders',
  state: 'running',
  attempt: 1,
  args: {},
  ...change,
});
const cancelled = (details: Record<string, unknown> | undefined, attempt = 0) =>
  call({
    state: 'cancelled',
    attempt,
    error: { error_type: 'Cancelled', error_message: 'stopped', error_details: details },
  });

describe('the text for a call', () => {
  it('distinguishes "never started", "stopped" and "may have run"', () => {
    expect(stateText(cancelled({ started: false }), false)).toBe('Never started');
    expect(stateText(cancelled({ started: true }, 1), false)).toBe('Stopped');
    expect(stateText(call({ state: 'unknown' }), false)).toBe('May have run');
    expect(appearanceOf(cancelled({ started: false }))).toBe('never_started');
  });

  it('explains why the end of a call that may have run is unknown', () => {
    const lost = (error_message: string) =>
      explanationOf(call({ state: 'unknown', error: { error_type: 'OutcomeUnknown', error_message } }));
    expect(lost('May have run. The server "files" broke off. It will not be started again.')).toBe(
      'The server "files" broke off. It will not be started again. Check what it did before you repeat it.',
    );
    expect(explanationOf(call({ state: 'unknown' }))).toMatch(
      /^Nobody could report how it ended\. .* Check what it did/,
    );
  });

  it('uses the attempt when the outcome does not say', () => {
    expect(stateText(cancelled(undefined, 0), false)).toBe('Never started');
    expect(stateText(cancelled(undefined, 1), false)).toBe('Stopped');
  });

  it('distinguishes a person’s refusal from a failure of the tool', () => {
    const error = { error_type: 'PermissionError', error_message: 'ann did not allow this call.' };
    expect(stateText(call({ state: 'failed', attempt: 0, error }), false)).toBe('Not allowed');
    expect(stateText(call({ state: 'failed', attempt: 1, error }), false)).toBe('Failed');
  });

  it('names who answered an approval: you, another person, or no one', () => {
    const words = (decision: 'approve' | 'deny' | 'expired', by: string) =>
      approvalText(call({ approval: { decision, by } }), (userId) => userId === 'ann');
    expect(words('approve', 'ann')).toBe('Approved by you.');
    expect(words('approve', 'bob')).toBe('Approved by bob.');
    expect(words('deny', 'bob')).toBe('Denied by bob. It did not run.');
    expect(words('expired', 'system')).toBe('Nobody answered in time. It did not run.');
    expect(approvalText(call({}), () => true)).toBeUndefined();
    const error = { error_type: 'PermissionError', error_message: 'denied' };
    const approval = { decision: 'deny' as const, by: 'bob' };
    expect(explanationOf(call({ state: 'failed', attempt: 0, error, approval }))).toBeUndefined();
  });

  it('claims only past facts while the page is disconnected', () => {
    expect(stateText(call({}), true)).toBe('Was running');
    expect(stateText(call({ state: 'queued' }), true)).toBe('Was queued');
    expect(stateText(call({ state: 'failed' }), true)).toBe('Failed');
  });

  it('says what a queued call waits for, as far as that is known', () => {
    const queued = (reason?: Partial<Waiting>) => {
      const waiting = reason && {
        text: '',
        since: '2026-01-01T00:00:00.000Z',
        reason: 'queued' as const,
        ...reason,
      };
      return stateText(call({ state: 'queued', attempt: 0 }), false, undefined, waiting);
    };
    expect(queued()).toBe('Queued');
    expect(queued({ queue: { workers: 1, per_second: 0 } })).toBe('Queued');
    expect(queued({ queue: { calls: 3, workers: 1, per_second: 0 } })).toBe('Queued · 3 in line');
    expect(queued({ queue: { calls: 41, workers: 2, per_second: 0.8, estimate_ms: 51_250 } })).toBe(
      '41 in line · 51 s',
    );
    expect(queued({ reason: 'no_worker' })).toBe('No worker is running');
    expect(queued({ reason: 'paused' })).toBe('Paused by an operator');
  });

  it('names the second attempt, and the finished share', () => {
    expect(stateText(call({ attempt: 2 }), false)).toBe('Running · attempt 2');
    expect(stateText(call({}), false, { progress: 412, total: 1_080 })).toBe('Running · 38 %');
    expect(stateText(call({}), false, { progress: 412 })).toBe('Running');
  });

  it('explains why a call failed and what to check when it may have run', () => {
    const failed = call({
      state: 'failed',
      error: { error_type: 'TimeoutError', error_message: 'took 30 s' },
    });
    expect(explanationOf(failed)).toBe('TimeoutError: took 30 s');
    expect(explanationOf(call({ state: 'unknown' }))).toMatch(/will not be started again/);
    expect(explanationOf(call({ state: 'succeeded' }))).toBeUndefined();
    const explained = { state: 'succeeded', explanation: 'All were there.' } as const;
    expect(explanationOf(call(explained))).toBe('All were there.');
    expect(explanationOf(call({ ...explained, status: 'no_change_needed' }))).toBe(
      'Nothing had to be done. All were there.',
    );
    expect(explanationOf(call({ state: 'succeeded', status: 'partial_success' }))).toBe('Done in part.');
    expect(explanationOf({ ...failed, explanation: 'Looked twice.' })).toBe(
      'TimeoutError: took 30 s Looked twice.',
    );
  });

  it('shortens the id of a process and keeps other names', () => {
    expect(workerName('worker-3f2a91b0-5b1c-4c39-9d8c-0a1b2c3d4e5f')).toBe('worker-3f2a91');
    expect(workerName('pay-1')).toBe('pay-1');
    expect(workerName('')).toBeUndefined();
  });
});

describe('the summary of arguments', () => {
  it('is the value alone when there is one', () => {
    expect(argumentSummary({ query: 'two\n  lines' })).toBe('two lines');
    expect(argumentSummary({ numbers: [14, 9, 6] })).toBe('[14, 9, 6]');
  });

  it('names the values when there are several, and only counts nested ones', () => {
    expect(argumentSummary({ a: 17, b: 25 })).toBe('a: 17, b: 25');
    expect(argumentSummary({ a: null, list: [{}], map: { x: 1, y: 2 } })).toBe(
      'a: null, list: [1 items], map: {2 keys}',
    );
    expect(argumentSummary({})).toBe('');
  });

  it('is bounded, regardless of the length of a value', () => {
    expect(argumentSummary({ text: 'x'.repeat(4_000) }).length).toBeLessThanOrEqual(120);
  });
});
