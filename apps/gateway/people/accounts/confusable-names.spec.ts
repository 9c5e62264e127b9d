import { describe, expect, it } from '@jest/globals';
import { isVisible, confusableSkeleton } from './confusable-names.js';

describe('confusableSkeleton', () => {
  it.each([
    ['carla', '\u0441arla'],
    ['Carla', '\u0421arla'],
    ['Mary', 'm\u0430ry'],
    ['Ian', '\u0456\u0430n'],
    ['ian', 'lan'],
    ['paypal', 'paypa1'],
    ['tim', 'tirn'],
    ['BOSS', 'B0SS'],
    ['root', 'r\u03bf\u03bft'],
    ['admin', '\uff41dmin'],
    ['admin', '\u{1d41a}dmin'],
    ['an na', 'an  na'],
  ])('is the same for %s and %s', (one, other) => {
    expect(confusableSkeleton(other)).toBe(confusableSkeleton(one));
  });

  it.each([
    ['ann', 'anna'],
    ['cafe', 'caf\u00e9'],
    ['user 1', 'user 2'],
    ['Юля', 'Юра'],
    ['田中', '田申'],
  ])('differs for %s and %s', (one, other) => {
    expect(confusableSkeleton(other)).not.toBe(confusableSkeleton(one));
  });
});

describe('isVisible', () => {
  it.each(['ann', 'Ann Example', 'Юля_2', '田中 tanaka', 'zo\u00eb', 'cafe\u0301', '\u{1F408} cat'])(
    'accepts %s',
    (name) => expect(isVisible(name)).toBe(true),
  );

  it.each([
    ['a Hangul filler', 'ann\u3164'],
    ['a halfwidth filler', 'a\uffa0nn'],
    ['a choseong filler', 'ann\u115f'],
    ['a blank Braille pattern', 'ann\u2800'],
    ['a no-break space', 'an\u00a0n'],
    ['an ideographic space', 'an\u3000n'],
    ['a zero-width space', 'ann\u200b'],
    ['a variation selector', 'ann\ufe0f'],
    ['a grapheme joiner', 'a\u034fnn'],
    ['a right-to-left override', 'a\u202enn'],
    ['a private-use character', 'ann\ue000'],
    ['a lone surrogate', 'ann\ud800'],
    ['a control character', 'an\tn'],
    ['only punctuation', '...'],
    ['only combining marks', '\u0301\u0301\u0301'],
  ])('refuses %s', (_what, name) => {
    expect(isVisible(name)).toBe(false);
  });
});
