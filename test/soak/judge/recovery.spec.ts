import { describe, expect, it } from '@jest/globals';
import { START } from '../../../libs/turn/testing/rows.js';
import type { LifeEvent } from '../evidence.js';
import { goodHistory } from './good-history.js';
import { longestRecovery } from './recovery.js';

/** Its rows: 20, 100, 150, 1900, 2100, 9000, and the end at 9100. */
const { store } = goodHistory();
const strike = (ms: number): LifeEvent => ({
  at: START + ms,
  what: 'struck',
  place: 'broker',
  how: `at ${ms}`,
});

describe('longestRecovery', () => {
  it('lasts from the first strike in a pause to the next sign of life', () => {
    const lives = [strike(500), strike(3_000), strike(4_000), strike(9_500)];
    expect(longestRecovery({ store, lives }, [])).toEqual({
      longestMs: 6_000,
      turnId: 'turn_1',
      after: 'broker at 3000',
      moreStrikes: 1,
    });
  });

  it('counts what a viewer was shown as a sign of life', () => {
    const shown = [{ at: START + 3_200, turnId: 'turn_1' }];
    expect(longestRecovery({ store, lives: [strike(3_000)] }, shown)?.longestMs).toBe(200);
  });

  it('is undefined when nothing was struck while a turn was in progress', () => {
    expect(longestRecovery({ store, lives: [strike(9_500)] }, [])).toBeUndefined();
  });
});
