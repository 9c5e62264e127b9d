import { describe, expect, it } from '@jest/globals';
import { findFault, wordsOf } from './said.js';

const words = wordsOf(12, 3);
const text = words.join('');

describe('findFault', () => {
  it('finds no fault in a complete text, nor in any beginning of it', () => {
    expect(findFault(text, { whole: true })).toBeUndefined();
    for (let length = 0; length <= text.length; length++)
      expect(findFault(text.slice(0, length), { whole: false })).toBeUndefined();
  });

  it('finds a missing or repeated part, a part of another request, and an early end', () => {
    const spoilt = [
      text.replace(words[1]!, ''),
      text.replace(words[1]!, words[1]! + words[1]!),
      text.replace('r12.1', 'r13.1'),
      text.replace('😀', '😀'.slice(0, 1)),
      text.slice(0, -1),
      text.slice(1),
      '',
    ];
    for (const each of spoilt) expect(findFault(each, { whole: true })).toEqual(expect.any(String));
  });
});
