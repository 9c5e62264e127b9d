import { describe, expect, it } from '@jest/globals';
import type { ToolClass } from '#contracts';
import { answerRow, callId, callRow, claimRow, outcomeRow, START, stepRow } from '../testing/rows.js';
import {
  approvalExpiry,
  decideAfterReclaim,
  decideCall,
  decideLostClaim,
  type CallSituation,
  type CallState,
} from './call-rules.js';
import type { Liveness } from './liveness.js';

const MINUTE_MS = 60_000;
const approval = callRow(1, { approval: 'required' });

function stateOf(change: Partial<CallState> = {}): CallState {
  const call = change.call ?? callRow(1);
  return { step: stepRow(1, '', [call]), call, claims: [], asking: false, ...change };
}

function decideAs(state: CallState, change: Partial<CallSituation> = {}, owner: Liveness = 'alive') {
  const liveness = () => owner;
  return decideCall(state, { stopped: false, now: START + 1_000, me: 'orchestrator-1', liveness, ...change });
}

const errorTypeOf = (action: ReturnType<typeof decideCall>) =>
  'outcome' in action ? `${action.do} ${action.outcome.error?.error_type}` : action.do;

describe('an unclaimed call', () => {
  it('is published', () => {
    expect(decideAs(stateOf())).toEqual({ do: 'publish' });
  });

  it('is settled with the reason once the turn was stopped', () => {
    const action = decideAs(stateOf(), { stopped: true });
    expect(action).toMatchObject({
      do: 'compete',
      outcome: {
        _id: callId(1),
        status: 'failure',
        data: null,
        error: { error_type: 'Cancelled', error_details: { started: false } },
        attempt: 0,
        worker: 'orchestrator-1',
        n: 1,
      },
    });
  });

  it('that was refused is settled with its refusal and not sent', () => {
    const refusal = { error_type: 'ToolNotFound', error_message: 'No tool math.ad.' };
    const action = decideAs(stateOf({ call: callRow(1, { refusal, approval: 'required' }) }));
    expect(action).toMatchObject({ do: 'compete', outcome: { error: refusal } });
  });

  it('may start until 60 s and its own timeout after its step was committed', () => {
    const state = stateOf();
    const last = Date.parse(state.step.at) + MINUTE_MS + state.call.timeout_ms;
    expect(decideAs(state, { now: last })).toEqual({ do: 'publish' });
    expect(errorTypeOf(decideAs(state, { now: last + 1 }))).toBe('compete TimeoutError');
  });

  it('waits for its approval, regardless of its deadline', () => {
    expect(decideAs(stateOf({ call: approval }))).toEqual({ do: 'await_person' });
    expect(decideAs(stateOf({ call: approval }), { now: START + 60 * MINUTE_MS })).toEqual({
      do: 'await_person',
    });
  });

  it('has 60 s and its timeout again from its approval', () => {
    const at = new Date(START + 60 * MINUTE_MS).toISOString();
    const state = stateOf({
      call: approval,
      approval: answerRow(1, 'approval', { decision: 'approve', at }),
    });
    const last = START + 61 * MINUTE_MS + approval.timeout_ms;
    expect(decideAs(state, { now: last })).toEqual({ do: 'publish' });
    expect(errorTypeOf(decideAs(state, { now: last + 1 }))).toBe('compete TimeoutError');
  });

  it.each(['deny', 'expired'] as const)('is settled when the answer is %s', (decision) => {
    const state = stateOf({ call: approval, approval: answerRow(1, 'approval', { decision }) });
    expect(errorTypeOf(decideAs(state))).toBe('compete PermissionError');
  });

  it('tells the model that a person denied it, and that it did not run', () => {
    const denied = answerRow(1, 'approval', { decision: 'deny', by: 'ann' });
    expect(decideAs(stateOf({ call: approval, approval: denied }))).toMatchObject({
      outcome: { error: { error_message: 'A person (ann) denied this call. It was not run.' } },
    });
  });

  it('is settled as expired seven days after the commit', () => {
    const state = stateOf({ call: approval });
    const expiry = Date.parse(approvalExpiry(state.step, state.call));
    expect(expiry - Date.parse(state.step.at)).toBe(7 * 24 * 60 * MINUTE_MS);
    expect(decideAs(state, { now: expiry })).toEqual({ do: 'await_person' });
    expect(decideAs(state, { now: expiry + 1 })).toMatchObject({
      do: 'expire',
      answer: { _id: `${callId(1)}:approval`, turn_id: 'turn_1', decision: 'expired' },
    });
    expect(errorTypeOf(decideAs(state, { now: expiry + 1, stopped: true }))).toBe('compete Cancelled');
  });
});

describe('limits stored in the row of a call', () => {
  it('include its queueing time and the expiry of its approval', () => {
    const quick = stateOf({ call: callRow(1, { queueing_ms: 10, timeout_ms: 5 }) });
    const last = Date.parse(quick.step.at) + 15;
    expect(decideAs(quick, { now: last })).toEqual({ do: 'publish' });
    expect(errorTypeOf(decideAs(quick, { now: last + 1 }))).toBe('compete TimeoutError');
    const expires_at = new Date(START + 2_000).toISOString();
    const waiting = stateOf({ call: callRow(1, { approval: 'required', expires_at }) });
    expect(decideAs(waiting, { now: START + 2_000 })).toEqual({ do: 'await_person' });
    expect(decideAs(waiting, { now: START + 2_001 })).toMatchObject({ do: 'expire' });
  });

  it('include its attempts, for the orchestrator and for the worker', () => {
    const call = callRow(1, { class: 'read', max_attempts: 1 });
    const claims = [claimRow(callId(1), 1)];
    expect(errorTypeOf(decideAs(stateOf({ call, claims }), {}, 'dead'))).toBe('settle ToolExecutionError');
    const work = { class: 'read' as const, me: 'worker-2', liveness: () => 'dead' as const };
    expect(decideLostClaim({ claims }, { ...work, max_attempts: 1 })).toEqual({ do: 'ignore' });
    expect(decideLostClaim({ claims }, work)).toEqual({ do: 'claim_again', attempt: 2 });
  });
});

describe('a call with a claim that settles', () => {
  it('ends with exactly the outcome of that claim, regardless of the observer and of other rows', () => {
    const decides = outcomeRow(1, { status: 'failure', data: null, attempt: 0 });
    const claims = [claimRow(callId(1), 1, { purpose: 'settle', decides })];
    for (const stopped of [true, false])
      for (const owner of ['alive', 'suspect', 'dead'] as const)
        expect(decideAs(stateOf({ claims }), { stopped }, owner)).toEqual({ do: 'settle', outcome: decides });
  });

  it('needs no action after it has an outcome', () => {
    const claims = [claimRow(callId(1), 1)];
    for (const stopped of [true, false])
      expect(decideAs(stateOf({ claims, outcome: outcomeRow(1) }), { stopped }, 'dead')).toEqual({
        do: 'nothing',
      });
  });
});

describe('a call that a worker has claimed', () => {
  type Row = [ToolClass, number, Liveness, boolean, string];
  const rows: Row[] = [
    ['once', 1, 'alive', false, 'nothing'],
    ['once', 1, 'suspect', false, 'nothing'],
    ['once', 1, 'dead', false, 'settle OutcomeUnknown'],
    ['once', 1, 'alive', true, 'cancel'],
    ['once', 1, 'suspect', true, 'cancel'],
    ['once', 1, 'dead', true, 'settle OutcomeUnknown'],
    ...(['read', 'idempotent', 'keyed'] as const).flatMap((toolClass): Row[] => [
      [toolClass, 1, 'alive', false, 'nothing'],
      [toolClass, 1, 'suspect', false, 'publish'],
      [toolClass, 2, 'dead', false, 'publish'],
      [toolClass, 3, 'alive', false, 'nothing'],
      [toolClass, 3, 'suspect', false, 'nothing'],
      [toolClass, 3, 'dead', false, 'settle ToolExecutionError'],
      [toolClass, 1, 'suspect', true, 'cancel'],
      [toolClass, 1, 'dead', true, 'settle OutcomeUnknown'],
    ]),
  ];

  it.each(rows)(
    '%s, attempt %d, owner %s, stopped: %s → %s',
    (toolClass, attempts, owner, stopped, expected) => {
      const claims = Array.from({ length: attempts }, (_, i) => claimRow(callId(1), i + 1));
      const call = callRow(1, { class: toolClass });
      expect(errorTypeOf(decideAs(stateOf({ call, claims }), { stopped }, owner))).toBe(expected);
    },
  );

  it('is left to an earlier worker that lives when the turn was stopped and the last worker is dead', () => {
    const claims = [1, 2].map((n) => claimRow(callId(1), n, { owner: `worker-${n}` }));
    const state = stateOf({ call: callRow(1, { class: 'read' }), claims });
    const liveness = (id: string): Liveness => (id === 'worker-2' ? 'dead' : 'alive');
    expect(decideAs(state, { stopped: true, liveness })).toEqual({
      do: 'cancel',
      owners: ['worker-1'],
      stoodBack: [],
    });
    const stoodBack = [{ worker: 'worker-1', started: false }];
    expect(errorTypeOf(decideAs(state, { stopped: true, liveness, stoodBack }))).toBe(
      'settle OutcomeUnknown',
    );
  });

  it('has no deadline in the orchestrator, because its worker keeps the time', () => {
    const claims = [claimRow(callId(1))];
    expect(decideAs(stateOf({ claims }), { now: START + 24 * 60 * MINUTE_MS })).toEqual({ do: 'nothing' });
  });

  it('waits for a person while it has an open question and its worker lives', () => {
    const claims = [claimRow(callId(1))];
    expect(decideAs(stateOf({ claims, asking: true }))).toEqual({ do: 'await_person' });
    expect(errorTypeOf(decideAs(stateOf({ claims, asking: true }), {}, 'dead'))).toBe(
      'settle OutcomeUnknown',
    );
  });

  it('is settled under the lost attempt, with the time that it may have run', () => {
    const claims = [claimRow(callId(1), 1, { at: new Date(START).toISOString() })];
    expect(decideAs(stateOf({ claims }), { now: START + 9_000 }, 'dead')).toMatchObject({
      outcome: { attempt: 1, duration_ms: 9_000 },
    });
  });
});

describe('decideLostClaim', () => {
  const decide = (
    found: Parameters<typeof decideLostClaim>[0],
    toolClass: ToolClass = 'once',
    owner: Liveness = 'alive',
  ) => decideLostClaim(found, { class: toolClass, me: 'worker-2', liveness: () => owner });

  it('returns a hint for an existing outcome', () => {
    expect(decide({ claims: [claimRow(callId(1))], outcome: outcomeRow(1) }, 'read', 'dead')).toEqual({
      do: 'hint',
    });
  });

  it('inserts the outcome of a settle claim', () => {
    const decides = outcomeRow(1, { attempt: 0 });
    const claims = [claimRow(callId(1), 1, { purpose: 'settle', decides })];
    expect(decide({ claims }, 'read', 'dead')).toEqual({ do: 'settle', outcome: decides });
  });

  it.each([
    ['once', 1, 'alive', 'ignore'],
    ['once', 1, 'suspect', 'ignore'],
    ['once', 1, 'dead', 'ignore'],
    ['read', 1, 'alive', 'ignore'],
    ['read', 1, 'suspect', 'claim_again'],
    ['idempotent', 2, 'dead', 'claim_again'],
    ['keyed', 2, 'suspect', 'claim_again'],
    ['read', 3, 'dead', 'ignore'],
  ] as const)('%s, attempt %d of a worker that is %s → %s', (toolClass, attempts, owner, expected) => {
    const claims = Array.from({ length: attempts }, (_, i) => claimRow(callId(1), i + 1));
    const action = decide({ claims }, toolClass, owner);
    expect(action.do).toBe(expected);
    if (action.do === 'claim_again') expect(action.attempt).toBe(attempts + 1);
  });

  it('does nothing about a call whose rows are missing', () => {
    expect(decide({ claims: [] })).toEqual({ do: 'ignore' });
  });
});

describe('decideAfterReclaim', () => {
  const step = stepRow(1, '', [callRow(1)]);

  it('runs the call only if its step exists, no claim settled it and the turn was not stopped', () => {
    expect(decideAfterReclaim({ step })).toBe('run');
    expect(decideAfterReclaim({ step, next: null, outcome: null })).toBe('run');
    expect(decideAfterReclaim({ step, next: stepRow(2, 'more') })).toBe('run');
  });

  it('does not run the call otherwise', () => {
    expect(decideAfterReclaim({ step, outcome: outcomeRow(1) })).toBe('settled');
    expect(decideAfterReclaim({ outcome: outcomeRow(1) })).toBe('settled');
    expect(decideAfterReclaim({ step: null })).toBe('uncommitted');
    expect(decideAfterReclaim({ step, next: stepRow(2, '', [], { kind: 'cancel' }) })).toBe('stopped');
    expect(decideAfterReclaim({ step, next: stepRow(2, '', [], { kind: 'fail' }) })).toBe('stopped');
  });
});
