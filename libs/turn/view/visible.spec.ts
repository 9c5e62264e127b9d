import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toVisibleJson, toVisibleText } from './visible.js';

describe('toVisibleJson', () => {
  it.each([
    ['a right-to-left override', 'invoice\u202efdp.exe', '"invoice\\u202efdp.exe"'],
    ['an isolate', 'a\u2066b\u2069', '"a\\u2066b\\u2069"'],
    ['a zero-width space', 'pay\u200bpal', '"pay\\u200bpal"'],
    ['a zero-width joiner between letters', 'a\u200db', '"a\\u200db"'],
    ['a byte order mark', '\ufeffrm', '"\\ufeffrm"'],
    ['a tag character, of two code units', 'x\u{e0041}', '"x\\udb40\\udc41"'],
    ['a Hangul filler', 'a\u3164', '"a\\u3164"'],
    ['a Braille blank', 'a\u2800', '"a\\u2800"'],
    ['a line separator', 'a\u2028b', '"a\\u2028b"'],
    ['a control character', 'a\u009b31m', '"a\\u009b31m"'],
    ['a variation selector after a letter', 'a\ufe0f', '"a\\ufe0f"'],
  ])('escapes %s', (_what, text, shown) => {
    expect(toVisibleJson(text)).toBe(shown);
  });

  it.each(['❤️', '👩‍💻', '👩🏽‍🚀', 'Grüße, 世界, עברית', 'a b\u00a0c'])('leaves %s as it is', (text) => {
    expect(toVisibleJson(text)).toBe(JSON.stringify(text));
  });

  it('is JSON of an equal value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const whole = { [text]: value, text };
        expect(JSON.parse(toVisibleJson(whole))).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
    );
  });
});

describe('toVisibleText', () => {
  it('shows invisible characters in a name', () => {
    expect(toVisibleText('path\u202e')).toBe('path\\u202e');
  });
});
