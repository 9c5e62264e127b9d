import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { breakingChanges } from './breaking-changes.js';
import { narrowings } from './narrowing.js';

const schemaOf = (type: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(type, { io }) as Record<string, unknown>;
const input = (before: z.ZodType, after: z.ZodType) =>
  breakingChanges(
    { class: 'read', input_schema: schemaOf(before) },
    { class: 'read', input_schema: schemaOf(after) },
  );
const output = (before: z.ZodType | undefined, after: z.ZodType | undefined) => {
  const contract = (type: z.ZodType | undefined) => ({
    ...{ class: 'read' as const, input_schema: { type: 'object' } },
    ...(type && { output_schema: schemaOf(type, 'output') }),
  });
  return breakingChanges(contract(before), contract(after));
};

const city = z.string().describe('Name of the city');

describe('the input of a tool', () => {
  it.each<[string, z.ZodType, z.ZodType]>([
    [
      'the same in other words',
      z.strictObject({ city }),
      z.strictObject({ city: city.describe('Its name') }),
    ],
    ['one more optional field', z.strictObject({ city }), z.strictObject({ city, days: z.int().optional() })],
    [
      'a field that is no longer required',
      z.strictObject({ city }),
      z.strictObject({ city: city.optional() }),
    ],
    ['a wider type', z.strictObject({ n: z.int() }), z.strictObject({ n: z.number() })],
    ['one more type', z.strictObject({ n: z.int() }), z.strictObject({ n: z.union([z.int(), city]) })],
    ['one more value', z.strictObject({ u: z.enum(['C']) }), z.strictObject({ u: z.enum(['C', 'F']) })],
    [
      'a wider range',
      z.strictObject({ n: z.int().min(1).max(5) }),
      z.strictObject({ n: z.int().min(0).max(9) }),
    ],
    ['no longer strict', z.strictObject({ city }), z.looseObject({ city })],
    ['any text in place of some', z.strictObject({ u: z.enum(['C']) }), z.strictObject({ u: z.string() })],
  ])('may become wider: %s', (_what, before, after) => {
    expect(input(before, after)).toEqual([]);
  });

  it.each<[string, z.ZodType, z.ZodType]>([
    ['input city was removed', z.strictObject({ city }), z.strictObject({})],
    ['input city was removed', z.looseObject({ city }), z.looseObject({})],
    ['input days is newly required', z.strictObject({ city }), z.strictObject({ city, days: z.int() })],
    ['input n no longer takes number', z.strictObject({ n: z.number() }), z.strictObject({ n: z.int() })],
    [
      'input u no longer takes "F"',
      z.strictObject({ u: z.enum(['C', 'F']) }),
      z.strictObject({ u: z.enum(['C']) }),
    ],
    [
      'input u no longer takes other values',
      z.strictObject({ u: z.string() }),
      z.strictObject({ u: z.enum(['C']) }),
    ],
    [
      'input n has a narrower maximum',
      z.strictObject({ n: z.int().max(9) }),
      z.strictObject({ n: z.int().max(5) }),
    ],
    [
      'input u has a narrower pattern',
      z.strictObject({ u: z.string() }),
      z.strictObject({ u: z.string().regex(/a/) }),
    ],
    [
      'input of[] no longer takes number',
      z.strictObject({ of: z.array(z.number()) }),
      z.strictObject({ of: z.array(city) }),
    ],
    ['input no longer takes fields without a name', z.looseObject({ city }), z.strictObject({ city })],
    [
      'input at.x is newly required',
      z.strictObject({ at: z.strictObject({}) }),
      z.strictObject({ at: z.strictObject({ x: city }) }),
    ],
  ])('must not become narrower: %s', (reason, before, after) => {
    expect(input(before, after)).toEqual([reason]);
  });

  it('is compared in bounded time, however many alternatives a schema has', () => {
    const alternatives = (type: string) => ({
      anyOf: Array.from({ length: 700 }, (_, i) => ({
        type: 'object',
        required: [`p${i}`],
        title: type,
        minProperties: type.length,
      })),
    });
    const of = (a: object) => ({
      class: 'read' as const,
      input_schema: { type: 'object', properties: { a } },
    });
    const [reason] = breakingChanges(of(alternatives('string')), of(alternatives('object-')));
    expect(reason).toMatch(/^input a /);
  });

  it('takes no value of a list that its own type excludes', () => {
    const of = (type: string) => ({
      class: 'read' as const,
      input_schema: { type: 'object', properties: { a: { type, enum: ['x'] } } },
    });
    expect(breakingChanges(of('string'), of('number'))).toEqual(['input a no longer takes "x"']);
  });

  it('is not broken by a description, wherever it is', () => {
    const kind = (description: string) =>
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), description: z.string().describe(description) }),
        z.strictObject({ kind: z.literal('b'), n: z.number() }),
      ]);
    expect(input(z.strictObject({ at: kind('Old.') }), z.strictObject({ at: kind('New.') }))).toEqual([]);
  });

  it.each<[string, object, object]>([
    [
      'input limit no longer takes string',
      { additionalProperties: { type: 'string' } },
      { additionalProperties: { type: 'string' }, properties: { limit: { type: 'integer' } } },
    ],
    [
      'input a no longer takes other values',
      { required: ['a'] },
      { required: ['a'], properties: { a: { type: 'string' } } },
    ],
    [
      'input a changed in a way that no rule decides',
      { properties: { a: { const: 'a' } } },
      { properties: { a: { const: 'a', enum: ['b'] } } },
    ],
    [
      'input changed in a way that no rule decides',
      { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { items: [{}] } } },
      { properties: { a: { items: [{}] } } },
    ],
  ])('%s', (reason, before, after) => {
    const of = (schema: object) => ({ class: 'read' as const, input_schema: { type: 'object', ...schema } });
    expect(breakingChanges(of(before), of(after))).toEqual([reason]);
  });

  it('counts as broken where no rule decides, also by references whose target changed', () => {
    const undecided = ['input x changed in a way that no rule decides'];
    const ofX = (x: object, more: object = {}) => ({
      class: 'read' as const,
      input_schema: { type: 'object', properties: { x }, ...more },
    });
    expect(breakingChanges(ofX({ not: { type: 'string' } }), ofX({ not: { type: 'null' } }))).toEqual(
      undecided,
    );
    const same = ofX({ $ref: '#/properties/y' });
    expect(breakingChanges(same, same)).toEqual([]);
    expect(breakingChanges(same, ofX({ $ref: '#/properties/y' }, { required: [] }))).toEqual(undecided);
  });
});

describe('the output of a tool', () => {
  const sum = z.object({ sum: z.number(), by: z.string().optional() });

  it('may promise more: another field, a narrower type, a schema at all', () => {
    expect(output(sum, sum.extend({ of: z.array(z.number()) }))).toEqual([]);
    expect(output(sum, sum.extend({ sum: z.int() }))).toEqual([]);
    expect(output(sum, sum.extend({ by: z.string() }))).toEqual([]);
    expect(output(undefined, sum)).toEqual([]);
  });

  it('must not name a field that the values without a name exclude', () => {
    const of = (output_schema: object) => ({
      ...{ class: 'read' as const, input_schema: {}, output_schema: { type: 'object', ...output_schema } },
    });
    const before = of({ additionalProperties: { type: 'string' } });
    const after = of({ properties: { a: { type: 'integer' } }, additionalProperties: false });
    expect(breakingChanges(before, after)).toEqual(['output a may now be integer']);
  });

  it('must not promise less', () => {
    expect(output(sum, undefined)).toEqual(['output was removed']);
    expect(output(sum, sum.omit({ by: true }))).toEqual(['output by was removed']);
    expect(output(sum, sum.omit({ sum: true }))).toEqual(['output sum was removed']);
    expect(output(sum, sum.partial())).toEqual(['output sum may be missing']);
    expect(output(sum, sum.extend({ sum: z.union([z.number(), z.null()]) }))).toEqual([
      'output sum may now be null',
    ]);
    const unit = z.object({ u: z.enum(['C']) });
    expect(output(unit, z.object({ u: z.enum(['C', 'F']) }))).toEqual(['output u may now be "F"']);
  });
});

it('another class is another contract', () => {
  const input_schema = { type: 'object' };
  expect(breakingChanges({ class: 'read', input_schema }, { class: 'once', input_schema })).toEqual([
    'class changed from read to once',
  ]);
});

/** Schemas as authors write them, and values for their fields. */
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null') }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom(1, 2, 'a', null), { minLength: 1 }) }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -2, max: 2 }) }),
  fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ type: fc.constant('array'), items: fc.record({ type: fc.constantFrom('string', 'integer') }) }),
  fc.constant({}),
);
const field = fc.oneof(leaf, fc.record({ anyOf: fc.array(leaf, { minLength: 1, maxLength: 3 }) }));
const object = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom('a', 'b'), field),
    required: fc.uniqueArray(fc.constantFrom('a', 'b')),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ['type', 'properties'] },
);
const some = fc.oneof(
  fc.constantFrom<unknown>('', 'a', 'abc', null, true, [], ['a'], [1]),
  fc.integer({ min: -3, max: 3 }),
  fc.constant(1.5),
);

it('what counts as no narrowing never refuses a value of named fields that was taken before', () => {
  const ajv = new Ajv2020({ strict: false });
  let judgedFine = 0;
  const value = fc.record({ a: some, b: some }, { requiredKeys: [] });
  const property = fc.property(
    object,
    object,
    fc.array(value, { minLength: 20, maxLength: 20 }),
    (from, to, values) => {
      if (narrowings(from, to, 'from').length > 0) return;
      judgedFine++;
      const [before, after] = [ajv.compile(from), ajv.compile(to)];
      // A field that the old schema does not name counts as not used.
      const used = values.filter((fields) => Object.keys(fields).every((name) => name in from.properties));
      for (const fields of used) if (before(fields)) expect([fields, after(fields)]).toEqual([fields, true]);
    },
  );
  fc.assert(property, { numRuns: 3_000, seed: 1 });
  expect(judgedFine).toBeGreaterThan(100);
});
