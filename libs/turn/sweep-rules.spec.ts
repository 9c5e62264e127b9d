import { describe, expect, it } from '@jest/globals';
import { decideSweep, isSettled } from './sweep-rules.js';
import { isSuperseded } from './turn-rules.js';
import { callRow, claimRow, journalOf, outcomeRow, START, stepRow } from './testing/rows.js';

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

describe('a driver', () => {
  it('is superseded by a later claim on its turn', () => {
    const claims = [claimRow('turn_1', 1), claimRow('turn_1', 2)];
    expect(isSuperseded(journalOf({ claims }), 1)).toBe(true);
    expect(isSuperseded(journalOf({ claims }), 2)).toBe(false);
  });
});
