import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toolSchemaCase } from '../testing/schema-cases.js';
import { describeSchemaLosses } from '../model-facts.js';
import { findProvider, PROVIDERS } from '../providers/registry.js';
import { toCurrentKeywords } from './current-keywords.js';
import { isSchema, mapSubschemas, type JsonSchema } from './json-schema.js';
import { toProviderTool } from './provider-tool.js';

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
});
/** Compiling schemas takes most of the time. */
const RUNS = { numRuns: 60 };
/** Of cases that fit, about every second. */
const FITTING_RUNS = { numRuns: 36 };
const NAMES = PROVIDERS.map(({ name }) => name);

function convert(schema: JsonSchema, provider: string): JsonSchema {
  return toProviderTool(
    { name: 'tool', description: 'A tool.', input_schema: schema },
    findProvider(provider)!,
  ).tool.input_schema;
}

/** The flag that Gemini has for null, as JSON Schema says it. */
function withoutFlags(schema: JsonSchema): JsonSchema {
  const { nullable, ...rest } = mapSubschemas(schema, withoutFlags);
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return ajv.compile(withoutFlags(toCurrentKeywords(schema)))(value);
}

function hasNestedList(value: unknown, isInList = false): boolean {
  if (Array.isArray(value)) return isInList || value.some((item) => hasNestedList(item, true));
  return isSchema(value) && Object.values(value).some((item) => hasNestedList(item, isInList));
}

function keywordsIn(schema: JsonSchema): Set<string> {
  const found = new Set<string>();
  (function visit(part: JsonSchema): JsonSchema {
    for (const key of Object.keys(part)) found.add(key);
    return mapSubschemas(part, visit);
  })(schema);
  return found;
}

describe.each(NAMES)('a schema converted for %s', (provider) => {
  it('accepts the same values as the original', () => {
    fc.assert(
      fc.property(toolSchemaCase, ({ schema, value, branch = {} }) => {
        // What only a branch accepts that says nothing about it may be refused.
        fc.pre(accepts(schema, value) && accepts(branch, value));
        // Where Gemini must be told a type, "anything" ends at lists in lists.
        fc.pre(provider !== 'gemini' || !hasNestedList(value));
        expect({ value, isAccepted: accepts(convert(schema, provider), value) }).toEqual({
          value,
          isAccepted: true,
        });
      }),
      FITTING_RUNS,
    );
  });

  it('is unchanged by a second conversion', () => {
    fc.assert(
      fc.property(toolSchemaCase, ({ schema }) => {
        const once = convert(schema, provider);
        expect(convert(structuredClone(once), provider)).toEqual(once);
      }),
      RUNS,
    );
  });

  it('keeps required properties, and every description', () => {
    fc.assert(
      fc.property(toolSchemaCase, ({ schema }) => {
        const converted = convert(schema, provider);
        const text = JSON.stringify(converted);
        for (const name of (schema.required as string[] | undefined) ?? [])
          expect(converted.required).toContain(name);
        for (const property of Object.values(isSchema(schema.properties) ? schema.properties : {})) {
          if (isSchema(property) && typeof property.description === 'string')
            expect(text).toContain(property.description);
        }
      }),
      RUNS,
    );
  });

  it('is an object with properties at its top, without alternatives', () => {
    fc.assert(
      fc.property(toolSchemaCase, ({ schema }) => {
        const converted = convert(schema, provider);
        expect(converted.type).toBe('object');
        expect(Object.keys(converted)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(anyOf|oneOf|allOf|\$schema)$/)]),
        );
      }),
      RUNS,
    );
  });
});

describe('Gemini’s subset', () => {
  const PUBLISHED = [
    ...[
      'type',
      'format',
      'title',
      'description',
      'nullable',
      'enum',
      'items',
      'maxItems',
      'minItems',
      'properties',
    ],
    ...[
      'required',
      'minProperties',
      'maxProperties',
      'minLength',
      'maxLength',
      'pattern',
      'anyOf',
      'minimum',
      'maximum',
    ],
  ];

  it('contains no other keyword, a type everywhere, and no list of numbers', () => {
    fc.assert(
      fc.property(toolSchemaCase, ({ schema }) => {
        const converted = convert(schema, 'gemini');
        expect([...keywordsIn(converted)].filter((keyword) => !PUBLISHED.includes(keyword))).toEqual([]);
        const wrong: JsonSchema[] = [];
        (function visit(part: JsonSchema): JsonSchema {
          const isTyped = typeof part.type === 'string' || Array.isArray(part.anyOf);
          const hasItems = part.type !== 'array' || isSchema(part.items);
          const values = (part.enum ?? []) as unknown[];
          if (!isTyped || !hasItems || !values.every((value) => typeof value === 'string')) wrong.push(part);
          return mapSubschemas(part, visit);
        })(converted);
        expect(wrong).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('schema losses', () => {
  const convertTool = (schema: JsonSchema, provider: string, description = 'A tool.') =>
    toProviderTool({ name: 'tool', description, input_schema: schema }, findProvider(provider)!).tool;
  const lossesOf = (schema: JsonSchema, provider: string) =>
    describeSchemaLosses({ name: 'tool', description: '', input_schema: schema }, provider);
  const EITHER = {
    type: 'object',
    properties: { a: { type: 'string' } },
    oneOf: [{ required: ['a'] }, { properties: { b: { type: 'integer' } }, required: ['b'] }],
  };
  const note =
    'Exactly one of these forms fits: {"required":["a"]} or {"properties":{"b":{"type":"integer"}},"required":["b"]}';

  it.each(['anthropic', 'openai', 'gemini', 'ollama'])(
    'are described in words, and reported, for %s',
    (provider) => {
      expect(convert(EITHER, provider)).toEqual({
        type: 'object',
        description: note,
        properties: { a: { type: 'string' }, b: { type: 'integer' } },
      });
      expect(lossesOf(EITHER, provider)).toEqual([{ path: '', keyword: 'oneOf' }]);
    },
  );

  it('are absent for a schema of the usual kind', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'Letters.' },
        b: { type: 'array', items: { type: 'number' } },
      },
      required: ['a'],
    };
    for (const provider of NAMES) {
      expect(convert(schema, provider)).toEqual(schema);
      expect(lossesOf(schema, provider)).toEqual([]);
    }
  });

  it('are, for Gemini, what its Schema lacks; references, constants and null are rewritten', () => {
    const schema = {
      type: 'object',
      $defs: { size: { type: 'integer', exclusiveMinimum: 0, description: 'In pixels.' } },
      properties: {
        width: { $ref: '#/$defs/size' },
        kind: { const: 'png' },
        level: { type: 'integer', enum: [1, 2] },
        title: { type: ['string', 'null'], format: 'uri' },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        any: {},
      },
    };
    const { properties } = convert(schema, 'gemini') as { properties: Record<string, JsonSchema> };
    expect(properties).toMatchObject({
      width: { type: 'integer', description: 'In pixels.\nJSON Schema: {"exclusiveMinimum":0}' },
      kind: { type: 'string', enum: ['png'] },
      level: { type: 'integer', description: 'One of: 1, 2' },
      title: { type: 'string', nullable: true, description: 'JSON Schema: {"format":"uri"}' },
      tags: { type: 'object', description: 'Any other property: {"type":"string"}' },
      any: { anyOf: expect.any(Array), nullable: true },
    });
    expect(lossesOf(schema, 'gemini')).toEqual([
      { path: '/properties/width', keyword: 'exclusiveMinimum' },
      { path: '/properties/level', keyword: 'enum' },
      { path: '/properties/title', keyword: 'format' },
      { path: '/properties/tags', keyword: 'additionalProperties' },
    ]);
  });

  it('include a definition that contains itself', () => {
    const schema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    expect(JSON.stringify(convert(schema, 'gemini'))).toContain('The same form as \\"node\\".');
    expect(lossesOf(schema, 'gemini')).toEqual([
      { path: '/properties/root/properties/next/properties/next', keyword: '$ref' },
    ]);
    expect(lossesOf(schema, 'anthropic')).toEqual([]);
  });

  it('are found in finite time for definitions that multiply, and for dangling references', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 12 }, (_, level) => [
        `d${level}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 12 }, (__, n) => [`p${n}`, { $ref: `#/$defs/d${level + 1}` }]),
          ),
        },
      ]),
    );
    const converted = convert({ type: 'object', $defs, properties: { a: { $ref: '#/$defs/d0' } } }, 'gemini');
    expect(JSON.stringify(converted).length).toBeLessThan(2_000_000);
  });

  it('include, for Anthropic, an argument with an unsupported name', () => {
    const schema = {
      type: 'object',
      properties: { 'naïve name': { type: 'string' } },
      required: ['naïve name'],
    };
    expect(convert(schema, 'anthropic')).toEqual({
      type: 'object',
      properties: {},
      required: [],
      description: 'It also takes: {"naïve name":{"type":"string"}}',
    });
    expect(lossesOf(schema, 'anthropic')).toEqual([{ path: '/properties/naïve name', keyword: 'name' }]);
  });

  it('exclude, for OpenAI, a description that is too long: its rest moves into the schema', () => {
    const words = Array.from({ length: 500 }, (_, n) => `word${n}`).join(' ');
    const tool = convertTool({ type: 'object', description: 'Own.' }, 'openai', words);
    expect(tool.description).toHaveLength(1_024);
    const rest = (tool.input_schema.description as string).replace(/\nOwn\.$/, '');
    expect(tool.description.slice(0, -1) + rest).toBe(words);
  });

  it('exclude the properties of merged parts', () => {
    const schema = {
      allOf: [
        {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          additionalProperties: false,
        },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    };
    expect(convert(schema, 'anthropic')).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    });
  });
});
