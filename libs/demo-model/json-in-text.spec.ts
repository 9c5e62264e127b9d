import { describe, expect, it } from '@jest/globals';
import { takeJsonOut } from './json-in-text.js';

describe('takeJsonOut', () => {
  it('takes objects out and says whether something only began like one', () => {
    expect(takeJsonOut('call it with {"a": "}"} and {"b": {}}').objects).toEqual([{ a: '}' }, { b: {} }]);
    expect(takeJsonOut('{"a": 1} }')).toMatchObject({ objects: [{ a: 1 }], isBroken: false });
    expect(takeJsonOut('{ {"a": 1}')).toMatchObject({ objects: [{ a: 1 }], isBroken: true });
  });

  it('stops looking in a text that is full of broken ones, because each look costs the whole text', () => {
    const broken = '{'.repeat(65_000);
    expect(takeJsonOut(`${broken}{"a": 1}`)).toEqual({
      text: `${broken}{"a": 1}`,
      objects: [],
      isBroken: true,
    });
  });
});
