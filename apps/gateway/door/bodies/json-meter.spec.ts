import { describe, expect, it } from '@jest/globals';
import { isWithinDepth } from '#contracts';
import { JsonMeter, meterOf } from './json-meter.js';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('JsonMeter', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['{"a":{"b":1}}', 4],
    ['[[],[],[]]', 4],
    [`[${'1,'.repeat(160)}1]`, 11],
    ['"[{:,"', 0],
    [String.raw`["\"[[[","\\",{}]`, 2],
  ])('counts the values of %s', (text, values) => {
    expect(meterOf(text).values).toBe(values);
  });

  it('finds the depth of the parsed value', () => {
    for (const levels of [1, 31, 32, 33])
      expect(meterOf(nested(levels)).depth <= 32).toBe(isWithinDepth(JSON.parse(nested(levels))));
    expect(meterOf('[[],[[]]]').depth).toBe(3);
  });

  it('gives the same result wherever the bytes are split', () => {
    const bytes = Buffer.from(String.raw`{"a\"[":[1,{"é":"\\"},"[{"]}`);
    const whole = new JsonMeter();
    whole.add(bytes);
    const cut = new JsonMeter();
    for (const byte of bytes) cut.add(Uint8Array.of(byte));
    expect([cut.values, cut.depth]).toEqual([whole.values, whole.depth]);
    expect([whole.values, whole.depth]).toEqual([5, 3]);
  });
});
