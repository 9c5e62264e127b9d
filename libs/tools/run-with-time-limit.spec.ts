import { describe, expect, it } from '@jest/globals';
import { retryOnTimeLimit, runWithTimeLimit, TimeLimitError } from './run-with-time-limit.js';

/** A few seconds of backtracking: a limit that is missing is a failed test, not one that hangs. */
const backtrack = () => /^(a+)+$/.test(`${'a'.repeat(28)}!`);

describe('work with a time limit', () => {
  it('returns or throws the result of the work', () => {
    expect(runWithTimeLimit(1_000, () => 42)).toBe(42);
    expect(runWithTimeLimit(1_000, () => undefined)).toBeUndefined();
    const error = new Error('of the work');
    expect(() =>
      runWithTimeLimit(1_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('is interrupted, even within a regular expression, and the next work is not', () => {
    expect(() => runWithTimeLimit(20, backtrack)).toThrow(TimeLimitError);
    expect(runWithTimeLimit(1_000, () => 'next')).toBe('next');
  });

  it('may contain work with its own limit', () => {
    const said: string[] = [];
    runWithTimeLimit(1_000, () => {
      said.push(runWithTimeLimit(1_000, () => 'inner'));
      said.push('outer');
    });
    expect(said).toEqual(['inner', 'outer']);
  });

  it('is retried when it was late, a limited number of times', () => {
    let tries = 0;
    const late = (times: number) => () => {
      if (tries++ < times) throw new TimeLimitError(1);
      return 'done';
    };
    expect(retryOnTimeLimit(late(2))).toBe('done');
    expect(tries).toBe(3);
    tries = 0;
    expect(() => retryOnTimeLimit(late(3))).toThrow(TimeLimitError);
    expect(tries).toBe(3);
  });

  it('is not retried when it failed by itself', () => {
    let tries = 0;
    const failing = () => {
      tries++;
      throw new Error('of the work');
    };
    expect(() => retryOnTimeLimit(failing)).toThrow('of the work');
    expect(tries).toBe(1);
  });
});
