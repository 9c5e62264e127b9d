import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wholePairs } from '../transcript/cut-text.js';
import { cutArgs, cutText, MAX_VIEW_TEXT } from './view-limits.js';

describe('cutText', () => {
  it('keeps a text that fits', () => {
    const text = 'x'.repeat(MAX_VIEW_TEXT);
    expect(cutText(text)).toEqual({ text, truncated: false });
  });

  it('cuts a text that is too long, never through a surrogate pair', () => {
    expect(cutText('x'.repeat(MAX_VIEW_TEXT + 1)).text).toHaveLength(MAX_VIEW_TEXT);
    const { text, truncated } = cutText(`x${'😀'.repeat(MAX_VIEW_TEXT)}`);
    expect(truncated).toBe(true);
    expect(text).toHaveLength(MAX_VIEW_TEXT - 1);
    expect(text.endsWith('😀')).toBe(true);
  });
});

describe('wholePairs', () => {
  it('drops a lone surrogate at the end and nothing else', () => {
    expect(wholePairs('a😀')).toBe('a😀');
    expect(wholePairs('a\ud83d')).toBe('a');
    expect(wholePairs('')).toBe('');
  });
});

describe('cutArgs', () => {
  it('keeps arguments that fit unchanged', () => {
    const args = { a: [1, { b: 'x'.repeat(4_000) }] };
    expect(cutArgs(args)).toEqual({ args, truncated: false });
    expect(cutArgs(args).args).toBe(args);
  });

  it('keeps short members, and the beginning of long ones', () => {
    const list = Array.from({ length: 5_000 }, (_, i) => i);
    const { args, truncated } = cutArgs({ path: '/tmp/x', text: 'ab"'.repeat(3_000), list, mode: 7 });
    expect(truncated).toBe(true);
    expect(args.path).toBe('/tmp/x');
    expect('ab"'.repeat(3_000).startsWith(args.text as string)).toBe(true);
    expect((args.text as string).length).toBeGreaterThan(2_000);
    expect(cutArgs({ list }).args.list).toMatch(/^\[0,1,2,/);
  });

  it('keeps later members when an early name alone is too long', () => {
    const { args } = cutArgs({ ['n'.repeat(5_000)]: 1, b: 2 });
    expect(args).toEqual({ b: 2 });
  });

  it('never exceeds its limit, never splits a pair, and is idempotent', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' }),
      fc.nat({ max: 9_000 }).map((length) => '😀\n"\u0001'.repeat(length)),
      fc.jsonValue(),
    );
    const property = fc.property(fc.dictionary(fc.string(), value, { maxKeys: 6 }), (args) => {
      const cut = cutArgs(args);
      const json = JSON.stringify(cut.args);
      expect(json.length).toBeLessThanOrEqual(MAX_VIEW_TEXT);
      expect(cut.truncated).toBe(JSON.stringify(args).length > MAX_VIEW_TEXT);
      expect(cutArgs(cut.args)).toEqual({ args: cut.args, truncated: false });
      for (const [name, kept] of Object.entries(cut.args)) {
        const given = args[name];
        if (typeof given !== 'string' || typeof kept !== 'string') continue;
        expect(given.startsWith(kept)).toBe(true);
        if (kept !== given) expect(wholePairs(kept)).toBe(kept);
      }
    });
    fc.assert(property, { numRuns: 150 });
  });
});
