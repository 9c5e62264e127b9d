import { describe, expect, it } from '@jest/globals';
import { findExceeded, renewedAt, usedOf } from './day-budget.js';

const NOW = Date.parse('2026-03-01T22:30:00.000Z');
const used = (tokens: number, cost = 0) => ({ tokens, cost });

describe('a budget per day', () => {
  it('has a remainder until it is used up', () => {
    expect(findExceeded({ tokens: 1_000 }, used(999), NOW)).toBeUndefined();
    expect(findExceeded({ tokens: 1_000, cost: 5 }, used(999, 4.99), NOW)).toBeUndefined();
    expect(findExceeded({}, used(1_000_000, 1_000), NOW)).toBeUndefined();
  });

  it('reports the usage, that nothing remains, and when it is renewed', () => {
    expect(findExceeded({ tokens: 1_000 }, used(1_234), NOW)).toEqual({
      message:
        'Your budget of 1000 tokens a day is used up (1234 used). Nothing is left until it renews at 2026-03-02T00:00:00Z.',
      retryAfterMs: 90 * 60_000,
    });
    expect(findExceeded({ tokens: 9_999, cost: 0.3 }, used(5, 0.1 + 0.2), NOW)?.message).toContain(
      'Your budget of 0.3 a day for models is used up (0.3 used).',
    );
  });

  it('is renewed at the next midnight UTC, including at midnight itself', () => {
    const midnight = Date.parse('2026-03-02T00:00:00.000Z');
    expect([renewedAt(NOW), renewedAt(midnight - 1), renewedAt(midnight)]).toEqual([
      midnight,
      midnight,
      midnight + 24 * 3_600_000,
    ]);
  });

  it('counts input, including cached input, and output', () => {
    expect(usedOf({ input_tokens: 100, output_tokens: 10, cost: 2 })).toEqual(used(110, 2));
  });
});
