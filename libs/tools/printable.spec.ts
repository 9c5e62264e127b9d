import { describe, expect, it } from '@jest/globals';
import { toPrintable } from './printable.js';

describe('toPrintable', () => {
  it('makes one line without control, colour and direction characters', () => {
    expect(toPrintable('\u001b[1;31mred\u001b[0m\r\nline\u0007\u202e\u200f\u061c!\u001b]0;title\u0007')).toBe(
      'red line !',
    );
  });

  it('cuts a text that is too long', () => {
    expect(toPrintable('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});
