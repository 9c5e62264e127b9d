import { describe, expect, it } from '@jest/globals';
import { costOfSchema } from './schema-cost.js';

const text = { type: 'string', minLength: 1 };

describe('the cost of a schema', () => {
  it('grows with its keywords, and with each use of a definition', () => {
    const one = costOfSchema({ $defs: { text }, properties: { a: { $ref: '#/$defs/text' } } });
    const two = costOfSchema({
      $defs: { text },
      properties: { a: { $ref: '#/$defs/text' }, b: { $ref: '#/$defs/text' } },
    });
    expect(one).toBe(costOfSchema({ properties: { a: text } }));
    expect(two).toBeGreaterThan(one);
    expect(two).toBeLessThan(200);
  });

  it('doubles with each level of references that multiply', () => {
    const $defs: Record<string, unknown> = { d20: text };
    for (let level = 0; level < 20; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { anyOf: [next, next] };
    }
    expect(costOfSchema({ $defs, $ref: '#/$defs/d0' })).toBeGreaterThan(2 ** 20);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a pattern', { properties: { a: { pattern: '^a$' } } }],
    ['pattern properties', { patternProperties: { '^a': {} } }],
    ['unique items', { items: { uniqueItems: true } }],
    ['a format that is not known to be cheap', { not: { format: 'hostname' } }],
    [
      'circular references',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    ],
    ['a reference to the root', { properties: { a: { $ref: '#' } } }],
    ['a dangling reference', { $ref: '#/$defs/none' }],
    ['a reference by anchor', { $ref: '#here' }],
    ['a dynamic reference', { $dynamicRef: '#a' }],
  ])('exceeds any limit with %s', (_what, schema) => {
    expect(costOfSchema(schema)).toBe(Infinity);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a property named like a keyword', { properties: { pattern: text, uniqueItems: text } }],
    ['items that may repeat', { uniqueItems: false }],
    ['a format that is cheap to check', { format: 'date-time' }],
    ['an unused definition', { $defs: { a: { pattern: 'a' } } }],
    ['a value that looks like a schema', { enum: [{ pattern: 'a', $ref: '#' }], const: { pattern: 'a' } }],
  ])('is small with %s', (_what, schema) => {
    expect(costOfSchema(schema)).toBeLessThan(200);
  });

  it('is computed for a long chain of references without a deep stack', () => {
    const $defs: Record<string, unknown> = { d250: text };
    for (let level = 0; level < 250; level++) $defs[`d${level}`] = { $ref: `#/$defs/d${level + 1}` };
    expect(costOfSchema({ $defs, $ref: '#/$defs/d0' })).toBe(Infinity);
  });
});
