import fc from 'fast-check';

type Schema = Record<string, unknown>;

/** A schema, and a value that was made to fit it. */
export interface SchemaCase {
  schema: Schema;
  value: unknown;
  /** For alternatives, the one for which the value was made. */
  branch?: Schema;
}

const NAMES = ['a', 'b', 'title', 'type', 'items'];
const described = (schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : { ...schema, description };

const description = fc.option(fc.constantFrom('What it is.', 'An amount.'), { nil: undefined });

const scalar: fc.Arbitrary<SchemaCase> = fc.oneof(
  fc.string().map((value) => ({ schema: { type: 'string', minLength: 0 }, value })),
  fc
    .constantFrom('2026-01-02T03:04:05Z', '2027-01-02T03:04:05Z')
    .map((value) => ({ schema: { type: 'string', format: 'date-time' }, value })),
  fc.constant({ schema: { type: 'string', format: 'uri' }, value: 'https://example.com/' }),
  fc.integer({ min: 1, max: 9 }).map((value) => ({
    schema: { type: 'integer', exclusiveMinimum: 0, maximum: 9, multipleOf: 1 },
    value,
  })),
  fc.integer({ min: 1 }).map((value) => ({
    schema: { type: 'number', minimum: 0, exclusiveMinimum: true },
    value: value + 0.5,
  })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constant({ schema: { type: 'null' }, value: null }),
  fc.constantFrom('x', 'y').map((value) => ({ schema: { enum: ['x', 'y'] }, value })),
  fc.constantFrom('x', 1, null).map((value) => ({ schema: { enum: ['x', 1, null, ''] }, value })),
  fc.constantFrom(1, 2).map((value) => ({ schema: { type: 'integer', enum: [1, 2] }, value })),
  fc.constantFrom('x', 5, false).map((value) => ({ schema: { const: value }, value })),
  fc.constantFrom('x', 5, null).map((value) => ({
    schema: { type: ['string', 'integer', 'null'], minLength: 1, minimum: 0 },
    value,
  })),
  fc.constantFrom('x', 5, true).map((value) => ({ schema: {}, value })),
  fc
    .constantFrom('x', null)
    .map((value) => ({ schema: { type: ['string', 'null'], enum: ['x', null] }, value })),
);

interface Levels {
  any: SchemaCase;
  object: SchemaCase;
}

/** Schemas as tools declare them, small enough that most values fit. */
const levels: fc.LetrecValue<Levels> = fc.letrec((tie: fc.LetrecTypedTie<Levels>) => ({
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 3 }),
      isRequired: fc.boolean(),
      isClosed: fc.boolean(),
      description,
    })
    .map(({ properties, isRequired, isClosed, description: about }) => {
      const entries = Object.entries(properties);
      const schema = {
        type: 'object',
        properties: Object.fromEntries(entries.map(([name, item]) => [name, item.schema])),
        ...(isRequired && { required: Object.keys(properties) }),
        ...(isClosed && { additionalProperties: false }),
      };
      return {
        schema: described(schema, about),
        value: Object.fromEntries(entries.map(([name, item]) => [name, item.value])),
      };
    }),
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(scalar, description)
      .map(([item, about]) => ({ ...item, schema: described(item.schema, about) })),
    tie('object'),
    tie('any').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema },
      value: [value, value],
    })),
    fc.tuple(tie('any'), tie('any')).map(([left, right]) => ({
      schema: { type: 'array', items: [left.schema, right.schema] },
      value: [left.value, right.value],
    })),
    fc.constant({ schema: { type: 'array' }, value: ['x', 1] }),
    fc.tuple(tie('any'), tie('any'), fc.constantFrom('anyOf', 'oneOf')).map(([left, right, keyword]) => ({
      schema: { [keyword]: [left.schema, right.schema] },
      value: left.value,
    })),
    tie('any').map(({ schema, value }) => ({ schema: { allOf: [schema, { description: 'Both.' }] }, value })),
    fc.constant({
      schema: { $ref: '#/$defs/node' },
      value: { name: 'x', next: { name: 'y', next: { name: 'z', next: null } } },
    }),
  ),
}));

const NODE = {
  type: 'object',
  description: 'A node.',
  properties: { name: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['name'],
};

/** Alternatives, at the top where most providers refuse them. */
const alternatives: fc.Arbitrary<SchemaCase> = fc
  .tuple(levels.object, levels.object, levels.object, fc.constantFrom('anyOf', 'oneOf', 'allOf'))
  .map(([base, left, right, keyword]) => ({
    schema: { ...base.schema, [keyword]: [left.schema, right.schema] },
    value: { ...(base.value as object), ...(left.value as object) },
    branch: left.schema,
  }));

/** The input schema of a tool, and arguments. Not all arguments fit: where branches contradict each other, none do. */
export const toolSchemaCase: fc.Arbitrary<SchemaCase> = fc
  .oneof(levels.object, alternatives)
  .map(({ schema, value, branch }) => ({
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...schema, $defs: { node: NODE } },
    value,
    ...(branch && { branch: { ...branch, $defs: { node: NODE } } }),
  }));
