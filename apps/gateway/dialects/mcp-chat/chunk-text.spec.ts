import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkText } from './chunk-text.js';

describe('chunkText', () => {
  it('splits a text into pieces that join to it, are not empty or too long, and split no surrogate pair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '\ud83d', '\ude00', 'é') });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (whole, max) => {
        const chunks = chunkText(whole, max);
        expect(chunks.join('')).toBe(whole);
        for (const [i, chunk] of chunks.entries()) {
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(max);
          const isCut = /[\ud800-\udbff]$/.test(chunk) && /^[\udc00-\udfff]/.test(chunks[i + 1] ?? '');
          expect(isCut).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('cuts after the last space that fits', () => {
    expect(chunkText('one two three', 8)).toEqual(['one two ', 'three']);
    expect(chunkText('one\ntwothree', 8)).toEqual(['one\n', 'twothree']);
    expect(chunkText('onetwothree', 8)).toEqual(['onetwoth', 'ree']);
  });
});
