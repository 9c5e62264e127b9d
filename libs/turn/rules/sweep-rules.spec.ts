import { describe, expect, it } from '@jest/globals';
import { callRow, claimRow, journalOf, outcomeRow, START, stepRow } from '../testing/rows.js';
import { decideSweep, isSettled, parkedCheckMs } from './sweep-rules.js';
import { isSuperseded } from './turn-rules.js';

const situation = { now: START + 1_000, me: 'orchestrator-1', liveness: () => 'alive' as const };
const asks = stepRow(1, '', [callRow(1)]);
const cancel = stepRow(2, '', [], { kind: 'cancel' });

describe('the sweeper', () => {
  it('wakes a turn that has not ended, unless it only waits for a person', () => {
    expect(decideSweep(journalOf(), situation)).toEqual({ do: 'wake' });
    expect(decideSweep(journalOf({ steps: [asks] }), situation)).toEqual({ do: 'wake' });
    const parked = stepRow(1, '', [callRow(1, { approval: 'required' })]);
    expect(decideSweep(journalOf({ steps: [parked] }), situation)).toEqual({ do: 'leave' });
  });

  it('finishes the open calls of a turn that has ended', () => {
    const action = decideSweep(journalOf({ steps: [asks, cancel] }), situation);
    expect(action).toMatchObject({ do: 'finish', calls: [{ action: { do: 'compete' } }] });
    const outcomes = [outcomeRow(1)];
    expect(decideSweep(journalOf({ steps: [asks, cancel], outcomes }), situation)).toEqual({
      do: 'finish',
      calls: [],
    });
  });

  it('forgets a turn only when it has ended and each of its calls has an outcome', () => {
    expect(isSettled(journalOf({ steps: [asks], outcomes: [outcomeRow(1)] }))).toBe(false);
    expect(isSettled(journalOf({ steps: [asks, cancel] }))).toBe(false);
    expect(isSettled(journalOf({ steps: [asks, cancel], outcomes: [outcomeRow(1)] }))).toBe(true);
  });
});

describe('a parked turn', () => {
  const minute = 60_000;
  const asked = (expiresMs: number) =>
    stepRow(1, '', [
      callRow(1, { approval: 'required', expires_at: new Date(START + expiresMs).toISOString() }),
    ]);
  const lookAfter = (waitedMs: number, expiresMs = 10_000 * minute) => {
    const journal = journalOf({ steps: [{ ...asked(expiresMs), at: new Date(START).toISOString() }] });
    return parkedCheckMs(journal, START + waitedMs);
  };

  it('that waits for approval is checked less and less often, down to every ten minutes', () => {
    expect([0, 1, 4, 10, 1_000].map((minutes) => lookAfter(minutes * minute) / minute)).toEqual([
      0.5, 0.5, 2, 5, 10,
    ]);
  });

  it('is checked when its time is over', () => {
    expect(lookAfter(100 * minute, 103 * minute)).toBe(3 * minute);
    expect(lookAfter(100 * minute, 99 * minute)).toBe(1_000);
  });

  it('whose worker asks a question is checked every half minute, because the worker may die', () => {
    const steps = [{ ...asked(10_000 * minute), at: new Date(START).toISOString() }];
    const claims = [claimRow(callRow(1).tool_call_id, 1)];
    expect(parkedCheckMs(journalOf({ steps, claims }), START + 100 * minute)).toBe(minute / 2);
  });
});

describe('a driver', () => {
  it('is superseded by a later claim on its turn', () => {
    const claims = [claimRow('turn_1', 1), claimRow('turn_1', 2)];
    expect(isSuperseded(journalOf({ claims }), 1)).toBe(true);
    expect(isSuperseded(journalOf({ claims }), 2)).toBe(false);
  });
});
