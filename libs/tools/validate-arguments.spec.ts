import { describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { standStill } from '../../test/services/stand-still.js';
import { ArgumentValidator } from './validate-arguments.js';

const validator = new ArgumentValidator();
const add = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
  additionalProperties: false,
};

function detailsOf(schema: Record<string, unknown>, args: Record<string, unknown>) {
  return validator.validate(schema, args)?.error_details;
}

describe('ArgumentValidator', () => {
  it('accepts arguments that fit', () => {
    expect(validator.validate(add, { a: 2, b: 3 })).toBeUndefined();
  });

  it('names parameter, value and rule of a wrong type, and coerces nothing', () => {
    const args = { a: '2', b: 3 };
    expect(validator.validate(add, args)).toEqual({
      error_type: 'ValidationError',
      error_message: 'a: must be integer',
      error_details: { parameter: 'a', provided_value: '2', constraint: 'must be integer' },
    });
    expect(args).toEqual({ a: '2', b: 3 });
  });

  it('names a missing and an unknown argument', () => {
    expect(detailsOf(add, { a: 1 })).toMatchObject({
      parameter: 'b',
      provided_value: null,
      constraint: 'is required',
    });
    expect(detailsOf(add, { a: 1, b: 2, c: 3 })).toMatchObject({ parameter: 'c', provided_value: 3 });
  });

  it('says what the alternatives were', () => {
    const schema = { type: 'object', properties: { x: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    expect(detailsOf(schema, { x: 1 })).toMatchObject({
      parameter: 'x',
      constraint: 'must be string or must be null',
    });
  });

  it('writes nested parameters as a path', () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: add } } };
    expect(detailsOf(schema, { list: [{ a: 1, b: true }] })).toMatchObject({
      parameter: 'list.0.b',
      provided_value: true,
    });
  });

  it('cuts values to 200 characters and masks what looks secret', () => {
    const schema = { type: 'object', properties: { x: { type: 'null' }, api_key: { type: 'null' } } };
    const long = detailsOf(schema, { x: 'y'.repeat(1000) }) as { provided_value: string };
    expect(long.provided_value).toHaveLength(200);
    expect(detailsOf(schema, { api_key: 'sk-1' })).toMatchObject({ provided_value: '***' });
    expect(detailsOf(schema, { x: { password: 'hunter2' } })).toMatchObject({
      provided_value: '{"password":"***"}',
    });
  });

  it('fills in no defaults', () => {
    const args = {};
    expect(validator.validate({ type: 'object', properties: { x: { default: 5 } } }, args)).toBeUndefined();
    expect(args).toEqual({});
  });

  it.each([
    ['draft 7', 'http://json-schema.org/draft-07/schema#'],
    ['draft 6', 'http://json-schema.org/draft-06/schema#'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema'],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema'],
    ['none', undefined],
    ['an unknown', 'https://example.com/mine'],
  ])('understands a schema of %s dialect', (_name, $schema) => {
    const schema = {
      $schema,
      $id: 'https://example.com/tool',
      type: 'object',
      definitions: { n: { type: 'number' } },
      properties: { x: { $ref: '#/definitions/n' } },
    };
    expect(validator.validate(schema, { x: 1 })).toBeUndefined();
    expect(detailsOf(schema, { x: 'one' })).toMatchObject({ parameter: 'x' });
  });

  it('knows formats, and ignores unknown formats and keywords', () => {
    const schema = {
      type: 'object',
      properties: { d: { type: 'string', format: 'date' }, u: { type: 'string', format: 'made-up' } },
      'x-vendor': { anything: true },
    };
    expect(validator.validate(schema, { d: '2026-01-31', u: 'x' })).toBeUndefined();
    expect(detailsOf(schema, { d: 'tomorrow' })).toMatchObject({ parameter: 'd' });
  });

  it('tells a keyword from an argument of the same name', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string' }, $ref: { type: 'string' }, properties: { type: 'string' } },
      required: ['pattern'],
    };
    expect(validator.validate(schema, { pattern: '*', $ref: 'a', properties: 'b' })).toBeUndefined();
    expect(detailsOf(schema, { pattern: 5 })).toMatchObject({ parameter: 'pattern' });
  });

  it('checks patterns, also old-style ones, and lets pass what only another language understands', () => {
    const withPattern = (pattern: string) => ({
      type: 'object',
      properties: { x: { type: 'string', pattern } },
    });
    expect(detailsOf(withPattern('^\\p{L}+$'), { x: '1' })).toMatchObject({ parameter: 'x' });
    expect(detailsOf(withPattern('^[\\w-.]+$'), { x: '!' })).toMatchObject({ parameter: 'x' });
    expect(validator.validate(withPattern('(?P<n>.)'), { x: '!' })).toBeUndefined();
  });
});

describe('a machine that stands still for longer than a schema may take', () => {
  const STANDSTILL_MS = 1_500;
  const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^[a-c]+$' } } };

  it('does so in the middle of a check: the arguments fit all the same', () => {
    let reads = 0;
    const args = {
      get x() {
        // First the depth is looked at.
        if (++reads === 2) standStill(STANDSTILL_MS);
        return 'abc';
      },
    };
    expect(new ArgumentValidator().validate(schema, args)).toBeUndefined();
    expect(reads).toBeGreaterThan(2);
  });

  it('does so while the schema is compiled: the tool can be called all the same', () => {
    const { compile } = Ajv2020.prototype;
    let compiled = 0;
    jest.spyOn(Ajv2020.prototype, 'compile').mockImplementation(function (this: Ajv2020, ...args) {
      // Not the empty schema, which is compiled before the time is counted.
      if ('properties' in Object(args[0]) && ++compiled === 1) standStill(STANDSTILL_MS);
      return compile.apply(this, args) as never;
    });
    expect(new ArgumentValidator().findSchemaProblem(schema)).toBeUndefined();
    expect(compiled).toBe(2);
    jest.restoreAllMocks();
  });
});

describe('a hostile schema', () => {
  it('cannot block the process with a pattern, and is refused without another try after three', () => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } };
    // Of the processor: what else the machine does takes none of it.
    const before = process.cpuUsage();
    for (let call = 0; call < 100; call++) {
      expect(validator.validate(schema, { x: `${'a'.repeat(60)}!` })?.error_type).toBe('ValidationError');
    }
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
  });

  it('cannot block the process with references that multiply', () => {
    const $defs: Record<string, unknown> = { d60: { type: 'string' } };
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = {
        anyOf: [{ allOf: [next, { type: 'null' }] }, { allOf: [next, { type: 'null' }] }],
      };
    }
    const schema = { type: 'object', $defs, properties: { x: { $ref: '#/$defs/d0' } } };
    expect(validator.validate(schema, { x: 'text' })?.error_type).toBe('ValidationError');
  });

  it.each<[string, Record<string, unknown>]>([
    ['is too deep', Array.from({ length: 5000 }).reduce<Record<string, unknown>>((items) => ({ items }), {})],
    ['is too long', { enum: ['x'.repeat(70_000)] }],
    ['has too many references', { allOf: Array.from({ length: 300 }, () => ({ $ref: '#/$defs/a' })) }],
    ['refers to another document', { $ref: 'https://example.com/schema.json' }],
    ['refers to nothing', { $ref: '#/$defs/none' }],
    ['has an unknown type', { type: 'function' }],
    ['has a list where a schema belongs', { properties: [] }],
    ['refers to itself', { $ref: '#' }],
  ])('that %s is a problem that has a name, never an exception', (_what, schema) => {
    const refused = validator.validate(schema, {});
    expect(refused?.error_type).toBe('ValidationError');
    expect(refused?.error_message).toMatch(/input schema/);
  });

  it('tells its problem before it is offered', () => {
    expect(validator.findSchemaProblem({ $ref: 'http://x/y' })).toBe(
      'The input schema refers to another document.',
    );
    expect(validator.findSchemaProblem(add)).toBeUndefined();
  });

  it('cannot reach the schema of another tool by its id', () => {
    validator.validate({ type: 'object', properties: { x: { $id: 'urn:mine', type: 'string' } } }, {});
    expect(validator.findSchemaProblem({ $ref: 'urn:mine' })).toBeDefined();
  });

  it('cannot make deep arguments overflow the stack', () => {
    let args: Record<string, unknown> = {};
    for (let level = 0; level < 20_000; level++) args = { args };
    expect(validator.validate({ type: 'object' }, args)?.error_type).toBe('ValidationError');
  });

  it('never throws, whatever JSON it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('type', 'items', 'properties', 'enum', '$ref', 'not', 'anyOf'),
          fc.jsonValue(),
        ),
        (schema) => {
          const refused = validator.validate(schema, { a: 1 });
          expect(refused === undefined || refused.error_type === 'ValidationError').toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is forgotten with all others when the cache is full, and understood again', () => {
    const bounded = new ArgumentValidator(3);
    for (let n = 0; n < 10; n++) {
      expect(bounded.validate({ type: 'object', properties: { x: { const: n } } }, { x: n })).toBeUndefined();
      expect(bounded.validate(add, { a: 1, b: '2' })).toBeDefined();
    }
  });
});
