import { describe, expect, it } from '@jest/globals';
import { againIfHeldUp, runWithTimeLimit, TimeLimitError } from './time-limit.js';

/** A few seconds of backtracking: a limit that is missing is a failed test, not one that hangs. */
const backtrack = () => /^(a+)+$/.test(`${'a'.repeat(28)}!`);

describe('work with a time limit', () => {
  it('answers, or throws, what the work does', () => {
    expect(runWithTimeLimit(1_000, () => 42)).toBe(42);
    expect(runWithTimeLimit(1_000, () => undefined)).toBeUndefined();
    const error = new Error('of the work');
    expect(() =>
      runWithTimeLimit(1_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('is interrupted, also within a regular expression, and the next work is not', () => {
    expect(() => runWithTimeLimit(20, backtrack)).toThrow(TimeLimitError);
    expect(runWithTimeLimit(1_000, () => 'next')).toBe('next');
  });

  it('may have limited work within it', () => {
    const said: string[] = [];
    runWithTimeLimit(1_000, () => {
      said.push(runWithTimeLimit(1_000, () => 'inner'));
      said.push('outer');
    });
    expect(said).toEqual(['inner', 'outer']);
  });

  it('is done again when it was only held up, and not for ever', () => {
    let tries = 0;
    const held = (times: number) => () => {
      if (tries++ < times) throw new TimeLimitError(1, true);
      return 'done';
    };
    expect(againIfHeldUp(held(2))).toBe('done');
    tries = 0;
    expect(() => againIfHeldUp(held(3))).toThrow(TimeLimitError);
    expect(() =>
      againIfHeldUp(() => {
        tries++;
        throw new TimeLimitError(1, false);
      }),
    ).toThrow(TimeLimitError);
    expect(tries).toBe(4);
  });
});
