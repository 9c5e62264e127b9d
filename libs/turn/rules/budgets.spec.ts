import { describe, expect, it } from '@jest/globals';
import { answerRow, at, claimRow, journalOf, START, stepRow } from '../testing/rows.js';
import { countExceeded, DEFAULT_BUDGETS, timeExceeded } from './budgets.js';

const TEN_MINUTES_MS = 600_000;
const first = claimRow('turn_1', 1, { at: at(1_000) });

describe('the time of a turn', () => {
  const exceeded = (rows: Parameters<typeof journalOf>[0], ms: number) =>
    timeExceeded(journalOf(rows), DEFAULT_BUDGETS, START + ms);

  it('does not run while the turn is queued', () => {
    expect(exceeded({}, 100 * TEN_MINUTES_MS)).toBeUndefined();
  });

  it('runs from its first claim', () => {
    const claims = [first, claimRow('turn_1', 2, { at: at(500_000) })];
    expect(exceeded({ claims }, 999 + TEN_MINUTES_MS)).toBeUndefined();
    expect(exceeded({ claims }, 1_000 + TEN_MINUTES_MS)).toBe(
      'Stopped at the limit of 10 minutes. Send a message to continue.',
    );
  });

  it('starts again with the last answer of a person, not with a question of a tool', () => {
    const claims = [first];
    const answer = answerRow(1, 'approval', { decision: 'approve', at: at(TEN_MINUTES_MS) });
    expect(exceeded({ claims, answers: [answer] }, 2 * TEN_MINUTES_MS - 1)).toBeUndefined();
    expect(exceeded({ claims, answers: [answer] }, 2 * TEN_MINUTES_MS)).toBeDefined();
    const question = { message: '?', schema: {}, expires_at: at(0) };
    const asked = answerRow(1, 'question', { question, at: at(TEN_MINUTES_MS) });
    expect(exceeded({ claims, answers: [asked] }, 2 * TEN_MINUTES_MS)).toBeDefined();
  });

  it.each([
    [60_000, '1 minute'],
    [120_000, '2 minutes'],
    [90_000, '90 seconds'],
  ])('names a limit of %d ms as %s', (turnMs, words) => {
    const budgets = { ...DEFAULT_BUDGETS, turnMs };
    expect(timeExceeded(journalOf({ claims: [first] }), budgets, START + 1_001 + turnMs)).toContain(words);
  });
});

describe('budgets of a turn', () => {
  it('limit the number of model steps', () => {
    const steps = Array.from({ length: 25 }, (_, i) => stepRow(i + 1));
    expect(countExceeded(journalOf({ steps: steps.slice(1) }), DEFAULT_BUDGETS)).toBeUndefined();
    expect(countExceeded(journalOf({ steps }), DEFAULT_BUDGETS)).toContain('25 steps');
    const summaries = steps.map((step) => ({ ...step, kind: 'summary' as const }));
    expect(countExceeded(journalOf({ steps: summaries }), DEFAULT_BUDGETS)).toBeUndefined();
  });

  it('limit the number of output tokens', () => {
    const usage = (output_tokens: number) => ({ input_tokens: 0, output_tokens, cached_tokens: 0 });
    const steps = (last: number) => [
      stepRow(1, '', [], { usage: usage(150_000) }),
      stepRow(2, '', [], { usage: usage(last) }),
    ];
    expect(countExceeded(journalOf({ steps: steps(49_999) }), DEFAULT_BUDGETS)).toBeUndefined();
    expect(countExceeded(journalOf({ steps: steps(50_000) }), DEFAULT_BUDGETS)).toContain(
      '200000 output tokens',
    );
  });
});
