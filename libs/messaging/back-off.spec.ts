import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

describe('backOffMs', () => {
  it('doubles from 100 ms up to 5 s and takes off at most half', () => {
    expect([0, 1, 2, 5, 6, 1_000].map((failures) => backOffMs(failures, () => 1))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
    expect(backOffMs(6, () => 0)).toBe(2_500);
  });
});
