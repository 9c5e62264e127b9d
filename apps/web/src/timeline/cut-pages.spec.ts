import { describe, expect, it } from '@jest/globals';
import { cutPages } from './cut-pages.js';

describe('the pages of a long text', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

  it('are 200 lines each', () => {
    const text = lines(450);
    const first = cutPages(text, 1);
    expect(first).toMatchObject({ extent: 'Lines 1–200 of 450', more: 'Show 200 more' });
    expect(first.shown.endsWith('line 200\n')).toBe(true);
    expect(cutPages(text, 2)).toMatchObject({ extent: 'Lines 1–400 of 450', more: 'Show 50 more' });
    expect(cutPages(text, 3)).toEqual({ shown: text, more: '' });
    expect(cutPages(text, 9)).toEqual({ shown: text, more: '' });
  });

  it('count a last line that ends', () => {
    expect(cutPages(`${lines(201)}\n`, 1)).toMatchObject({
      extent: 'Lines 1–200 of 201',
      more: 'Show 1 more',
    });
  });

  it('are shorter where lines are long, and end with a line', () => {
    const text = Array.from({ length: 5 }, () => 'x'.repeat(9_000)).join('\n');
    expect(cutPages(text, 1)).toMatchObject({ extent: 'Lines 1–2 of 5', more: 'Show 2 more' });
  });

  it('cut a line that is longer than a page, never through a character', () => {
    const text = `a${'😀'.repeat(30_000)}`;
    const { shown, extent, more } = cutPages(text, 1);
    expect(text.startsWith(shown)).toBe(true);
    expect(shown.length % 2).toBe(1);
    expect({ extent, more }).toEqual({ extent: '20,001 of 60,001 characters', more: 'Show more' });
    expect(cutPages(text, 4).shown).toBe(text);
  });

  it('are one for an empty text', () => {
    expect(cutPages('', 1)).toEqual({ shown: '', more: '' });
  });
});
