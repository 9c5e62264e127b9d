import { describe, expect, it } from '@jest/globals';
import { countOf, formatDuration, formatElapsed, formatNumber, placeInLine } from './durations.js';

describe('formatted durations', () => {
  it.each([
    [0, '0 ms'],
    [412, '412 ms'],
    [1_240, '1.24 s'],
    [9_994, '9.99 s'],
    [9_996, '10 s'],
    [41_300, '41 s'],
    [59_600, '1 min 0 s'],
    [72_000, '1 min 12 s'],
    [3_720_000, '1 h 2 min'],
  ])('show %d ms as "%s"', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });

  it('never change faster than a person can read, or fall below zero', () => {
    expect(formatElapsed(8_449)).toBe('8.4 s');
    expect(formatElapsed(9_960)).toBe('10 s');
    expect(formatElapsed(-300)).toBe('0.0 s');
  });

  it('use the singular for one', () => {
    expect(countOf(1, 'step')).toBe('1 step');
    expect(countOf(1_204, 'step')).toBe('1,204 steps');
    expect(formatNumber(9_204)).toBe('9,204');
  });
});

describe('the position in the queue', () => {
  it('is formatted as an ordinal number', () => {
    const places = [1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111].map(placeInLine);
    expect(places.map((place) => place.replace(' in line', ''))).toEqual(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 103rd 111th'.split(' '),
    );
  });
});
