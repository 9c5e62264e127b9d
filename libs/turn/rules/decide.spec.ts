import { describe, expect, it } from '@jest/globals';
import type { Journal } from '#contracts';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  journalOf,
  outcomeRow,
  START,
  stepRow,
} from '../testing/rows.js';
import { DEFAULT_BUDGETS } from './budgets.js';
import { decide, type Situation } from './decide.js';

const claims = [claimRow('turn_1', 1, { owner: 'orchestrator-1', at: at(0) })];
const approval = callRow(1, { approval: 'required' });

function decideOn(rows: Partial<Journal>, change: Partial<Situation> = {}) {
  const situation = { now: START + 1_000, me: 'orchestrator-1', budgets: DEFAULT_BUDGETS, deleted: false };
  return decide(journalOf({ claims, ...rows }), { ...situation, liveness: () => 'alive', ...change });
}

describe('decide', () => {
  it('calls the model for the first step, and for the next one once every call has an outcome', () => {
    expect(decideOn({})).toEqual({ do: 'call_model', n: 1 });
    const steps = [stepRow(1, '', [callRow(1), callRow(2)])];
    expect(decideOn({ steps, outcomes: [outcomeRow(1)] }).do).toBe('await_calls');
    expect(decideOn({ steps, outcomes: [outcomeRow(1), outcomeRow(2)] })).toEqual({ do: 'call_model', n: 2 });
    const paused = [stepRow(1, 'Wait', [], { stop_reason: 'pause_turn' })];
    expect(decideOn({ steps: paused })).toEqual({ do: 'call_model', n: 2 });
  });

  it('returns the action for each open call', () => {
    const refused = callRow(3, { refusal: { error_type: 'ToolNotFound', error_message: 'no' } });
    const steps = [stepRow(1, '', [approval, callRow(2), refused, callRow(4)])];
    const action = decideOn({ steps, claims: [...claims, claimRow(callId(4))] });
    expect(action).toMatchObject({ do: 'await_calls', parked: false });
    expect('calls' in action && action.calls.map((call) => call.action.do)).toEqual([
      'await_person',
      'publish',
      'compete',
      'nothing',
    ]);
  });

  it('parks when every open call waits for a person, and then no clock runs', () => {
    const rows = { steps: [stepRow(1, '', [approval, callRow(2)])], outcomes: [outcomeRow(2)] };
    expect(decideOn(rows)).toMatchObject({ do: 'await_calls', parked: true });
    const hours = START + 20 * DEFAULT_BUDGETS.turnMs;
    expect(decideOn(rows, { now: hours })).toMatchObject({ do: 'await_calls', parked: true });
    const answers = [
      answerRow(1, 'approval', { decision: 'approve', at: new Date(hours - 5_000).toISOString() }),
    ];
    expect(decideOn({ ...rows, answers }, { now: hours })).toMatchObject({
      do: 'await_calls',
      parked: false,
    });
  });

  it('does not count checks of a parked turn as thrashing', () => {
    const looks = [1, 2, 3, 4, 5, 6].map((n) => claimRow('turn_1', n, { at: at(n * 30_000) }));
    const steps = [stepRow(1, '', [approval])];
    expect(decideOn({ steps, claims: looks }, { now: START + 180_000 })).toMatchObject({ parked: true });
    const thrashing = { do: 'commit_fail', n: 2, code: 'internal' };
    expect(decideOn({ steps: [stepRow(1, '', [callRow(1)])], claims: looks })).toMatchObject(thrashing);
  });

  it('does not park a turn whose approval has expired, because the expiry must be recorded', () => {
    const week = START + 8 * 24 * 3_600_000;
    const action = decideOn(
      { steps: [stepRow(1, '', [approval])] },
      { now: week, budgets: { ...DEFAULT_BUDGETS, turnMs: Infinity } },
    );
    expect(action).toMatchObject({ do: 'await_calls', parked: false, calls: [{ action: { do: 'expire' } }] });
  });

  it('ends with the row that ends the turn, and settles open calls only if that was a stop', () => {
    const asked = stepRow(1, '', [callRow(1)]);
    const cancel = stepRow(2, '', [], { kind: 'cancel' });
    expect(decideOn({ steps: [asked, cancel] })).toMatchObject({
      do: 'end',
      step: cancel,
      calls: [{ action: { do: 'compete', outcome: { error: { error_type: 'Cancelled' } } } }],
    });
    const last = stepRow(2, 'Done.');
    expect(decideOn({ steps: [asked, last], outcomes: [outcomeRow(1)] })).toEqual({
      do: 'end',
      step: last,
      calls: [],
    });
  });

  it('cancels the turns of a deleted conversation, before anything else', () => {
    expect(decideOn({}, { deleted: true })).toEqual({ do: 'commit_cancel', n: 1 });
    const steps = [stepRow(1, '', [callRow(1)])];
    expect(decideOn({ steps }, { deleted: true, now: START + 10 ** 9 })).toEqual({
      do: 'commit_cancel',
      n: 2,
    });
    expect(decideOn({ steps: [stepRow(1, 'Done.')] }, { deleted: true }).do).toBe('end');
  });

  it('fails a turn that is over a budget, but lets running calls end before it counts steps', () => {
    const late = { now: START + DEFAULT_BUDGETS.turnMs + 1 };
    expect(decideOn({}, late)).toMatchObject({ do: 'commit_fail', n: 1, code: 'budget_exceeded' });
    const budgets = { ...DEFAULT_BUDGETS, steps: 1 };
    const steps = [stepRow(1, '', [callRow(1)])];
    expect(decideOn({ steps }, { budgets }).do).toBe('await_calls');
    expect(decideOn({ steps, outcomes: [outcomeRow(1)] }, { budgets })).toMatchObject({
      do: 'commit_fail',
      n: 2,
      code: 'budget_exceeded',
    });
  });
});
