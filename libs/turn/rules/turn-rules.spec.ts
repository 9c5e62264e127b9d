import { describe, expect, it } from '@jest/globals';
import { answerRow, at, callId, claimRow, journalOf, outcomeRow, stepRow } from '../testing/rows.js';
import type { Liveness } from './liveness.js';
import { decideTakeUp, isThrashing, stepAttempt } from './turn-rules.js';

const ME = 'orchestrator-1';

describe('decideTakeUp', () => {
  const journal = (owner: string, n = 1) => journalOf({ claims: [claimRow('turn_1', n, { owner })] });

  it('claims a turn without a driver', () => {
    expect(decideTakeUp(journalOf(), ME, () => 'alive')).toEqual({ do: 'claim', attempt: 1 });
    const ofCall = journalOf({ claims: [claimRow(callId(1), 1)] });
    expect(decideTakeUp(ofCall, ME, () => 'alive')).toEqual({ do: 'claim', attempt: 1 });
  });

  it('passes a hint on to a living driver', () => {
    expect(decideTakeUp(journal('orchestrator-2', 3), ME, () => 'alive')).toEqual({
      do: 'pass_on',
      driver: 'orchestrator-2',
    });
  });

  it.each(['suspect', 'dead'] as const)('takes over from a driver that is %s', (liveness) => {
    expect(decideTakeUp(journal('orchestrator-2', 3), ME, () => liveness)).toEqual({
      do: 'claim',
      attempt: 4,
    });
  });

  it('claims again a turn that it drove before and no longer knows', () => {
    expect(decideTakeUp(journal(ME, 2), ME, () => 'alive')).toEqual({ do: 'claim', attempt: 3 });
  });

  it('asks about the owner of the highest attempt only', () => {
    const claims = [
      claimRow('turn_1', 2, { owner: 'orchestrator-3' }),
      claimRow('turn_1', 1, { owner: 'orchestrator-2' }),
    ];
    const liveness = (id: string): Liveness => (id === 'orchestrator-3' ? 'alive' : 'dead');
    expect(decideTakeUp(journalOf({ claims }), ME, liveness)).toEqual({
      do: 'pass_on',
      driver: 'orchestrator-3',
    });
  });
});

describe('isThrashing', () => {
  const claims = (times: number[]) => times.map((ms, i) => claimRow('turn_1', i + 1, { at: at(ms) }));
  const often = [0, 10_000, 20_000, 30_000, 40_000];

  it('is true for five claims within a minute of each other', () => {
    expect(isThrashing(journalOf({ claims: claims(often) }))).toBe(true);
    expect(isThrashing(journalOf({ claims: claims(often.slice(1)) }))).toBe(false);
    expect(isThrashing(journalOf({ claims: claims([0, 10_000, 70_000, 80_000, 90_000]) }))).toBe(false);
    expect(isThrashing(journalOf({ claims: claims([0, 59_999, 119_998, 179_997, 239_996]) }))).toBe(true);
  });

  it('uses the configured number and time', () => {
    const journal = journalOf({ claims: claims([0, 3_000]) });
    expect(isThrashing(journal, { takeovers: 2, takeoverWindowMs: 3_001 })).toBe(true);
    expect(isThrashing(journal, { takeovers: 2, takeoverWindowMs: 3_000 })).toBe(false);
    expect(isThrashing(journal, { takeovers: 3, takeoverWindowMs: 3_001 })).toBe(false);
  });

  it('considers the last five claims', () => {
    expect(isThrashing(journalOf({ claims: claims([-900_000, ...often]) }))).toBe(true);
  });

  it('is false again after any new step, outcome or answer', () => {
    const rows = { claims: claims(often) };
    expect(isThrashing(journalOf({ ...rows, steps: [stepRow(1, '', [], { at: at(15_000) })] }))).toBe(false);
    expect(isThrashing(journalOf({ ...rows, outcomes: [outcomeRow(1, { at: at(15_000) })] }))).toBe(false);
    expect(isThrashing(journalOf({ ...rows, answers: [answerRow(1, 'approval', { at: at(15_000) })] }))).toBe(
      false,
    );
    expect(isThrashing(journalOf({ ...rows, steps: [stepRow(1, '', [], { at: at(-1) })] }))).toBe(true);
  });

  it('ignores claims on calls', () => {
    const ofCalls = often.map((ms, i) => claimRow(callId(i), 1, { at: at(ms) }));
    expect(isThrashing(journalOf({ claims: ofCalls }))).toBe(false);
  });
});

describe('stepAttempt', () => {
  it('grows with every retry and every claim', () => {
    expect(stepAttempt(1, 0)).toBe(100);
    expect(stepAttempt(1, 5)).toBeLessThan(stepAttempt(2, 0));
    expect(stepAttempt(1, 1_000)).toBeLessThan(stepAttempt(2, 0));
  });
});
