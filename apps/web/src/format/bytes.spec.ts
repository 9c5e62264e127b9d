import { describe, expect, it } from '@jest/globals';
import { formatBytes } from './bytes.js';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [8_388_608, '8.4 MB'],
  ])('formats %i bytes as %s', (bytes, words) => expect(formatBytes(bytes)).toBe(words));
});
