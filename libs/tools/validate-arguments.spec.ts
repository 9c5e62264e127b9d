import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { SystemClock } from '#time';
import { standStill } from '../../test/services/stand-still.js';
import { InputSchemas } from './input-schemas.js';
import { ThreadedChecks } from './threaded-checks.js';
import { ArgumentValidator } from './validate-arguments.js';

const schemas = new InputSchemas();
const slowChecks = new ThreadedChecks({ clock: new SystemClock() });
const others = { slowChecks, refusals: { note: () => undefined } };
const validator = new ArgumentValidator({ ...others, schemas });
const add = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
  additionalProperties: false,
};

async function detailsOf(schema: Record<string, unknown>, args: Record<string, unknown>) {
  return (await validator.validate(schema, args))?.error_details;
}

afterAll(() => slowChecks.stop());

describe('ArgumentValidator', () => {
  it('accepts valid arguments', async () => {
    expect(await validator.validate(add, { a: 2, b: 3 })).toBeUndefined();
  });

  it('names parameter, value and rule of a wrong type, and coerces nothing', async () => {
    const args = { a: '2', b: 3 };
    expect(await validator.validate(add, args)).toEqual({
      error_type: 'ValidationError',
      error_message: 'a: must be integer',
      error_details: { parameter: 'a', provided_value: '2', constraint: 'must be integer' },
    });
    expect(args).toEqual({ a: '2', b: 3 });
  });

  it('names a missing and an unknown argument', async () => {
    expect(await detailsOf(add, { a: 1 })).toMatchObject({
      parameter: 'b',
      provided_value: null,
      constraint: 'is required',
    });
    expect(await detailsOf(add, { a: 1, b: 2, c: 3 })).toMatchObject({ parameter: 'c', provided_value: 3 });
  });

  it('names the alternatives', async () => {
    const schema = { type: 'object', properties: { x: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    expect(await detailsOf(schema, { x: 1 })).toMatchObject({
      parameter: 'x',
      constraint: 'must be string or must be null',
    });
  });

  it('writes nested parameters as a path', async () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: add } } };
    expect(await detailsOf(schema, { list: [{ a: 1, b: true }] })).toMatchObject({
      parameter: 'list.0.b',
      provided_value: true,
    });
  });

  it('cuts values to 200 characters and masks likely secrets', async () => {
    const schema = { type: 'object', properties: { x: { type: 'null' }, api_key: { type: 'null' } } };
    const long = (await detailsOf(schema, { x: 'y'.repeat(1000) })) as { provided_value: string };
    expect(long.provided_value).toHaveLength(200);
    expect(await detailsOf(schema, { api_key: 'sk-1' })).toMatchObject({ provided_value: '***' });
    expect(await detailsOf(schema, { x: { password: 'hunter2' } })).toMatchObject({
      provided_value: '{"password":"***"}',
    });
  });

  it('does not apply defaults', async () => {
    const args = {};
    expect(
      await validator.validate({ type: 'object', properties: { x: { default: 5 } } }, args),
    ).toBeUndefined();
    expect(args).toEqual({});
  });

  it.each([
    ['draft 7', 'http://json-schema.org/draft-07/schema#'],
    ['draft 6', 'http://json-schema.org/draft-06/schema#'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema'],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema'],
    ['none', undefined],
    ['an unknown', 'https://example.com/mine'],
  ])('supports a schema of %s dialect', async (_name, $schema) => {
    const schema = {
      $schema,
      $id: 'https://example.com/tool',
      type: 'object',
      definitions: { n: { type: 'number' } },
      properties: { x: { $ref: '#/definitions/n' } },
    };
    expect(await validator.validate(schema, { x: 1 })).toBeUndefined();
    expect(await detailsOf(schema, { x: 'one' })).toMatchObject({ parameter: 'x' });
  });

  it('knows formats, and ignores unknown formats and keywords', async () => {
    const schema = {
      type: 'object',
      properties: { d: { type: 'string', format: 'date' }, u: { type: 'string', format: 'made-up' } },
      'x-vendor': { anything: true },
    };
    expect(await validator.validate(schema, { d: '2026-01-31', u: 'x' })).toBeUndefined();
    expect(await detailsOf(schema, { d: 'tomorrow' })).toMatchObject({ parameter: 'd' });
  });

  it('distinguishes a keyword from an argument of the same name', async () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string' }, $ref: { type: 'string' }, properties: { type: 'string' } },
      required: ['pattern'],
    };
    expect(await validator.validate(schema, { pattern: '*', $ref: 'a', properties: 'b' })).toBeUndefined();
    expect(await detailsOf(schema, { pattern: 5 })).toMatchObject({ parameter: 'pattern' });
  });

  it('checks patterns, including old-style ones, and skips those of other languages', async () => {
    const withPattern = (pattern: string) => ({
      type: 'object',
      properties: { x: { type: 'string', pattern } },
    });
    expect(await detailsOf(withPattern('^\\p{L}+$'), { x: '1' })).toMatchObject({ parameter: 'x' });
    expect(await detailsOf(withPattern('^[\\w-.]+$'), { x: '!' })).toMatchObject({ parameter: 'x' });
    expect(await validator.validate(withPattern('(?P<n>.)'), { x: '!' })).toBeUndefined();
  });
});

describe('a machine that stalls for longer than a schema may take to compile', () => {
  it('does not disable the tool', () => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^[a-c]+$' } } };
    const { compile } = Ajv2020.prototype;
    let compiled = 0;
    jest.spyOn(Ajv2020.prototype, 'compile').mockImplementation(function (this: Ajv2020, ...args) {
      // Not the empty schema, which is compiled before the time is counted.
      if ('properties' in Object(args[0]) && ++compiled === 1) standStill(1_500);
      return compile.apply(this, args) as never;
    });
    expect(new InputSchemas().findProblem(schema)).toBeUndefined();
    expect(compiled).toBe(2);
    jest.restoreAllMocks();
  });
});

describe('a hostile schema', () => {
  it('cannot block the process with references that multiply', async () => {
    const $defs: Record<string, unknown> = { d60: { type: 'string' } };
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = {
        anyOf: [{ allOf: [next, { type: 'null' }] }, { allOf: [next, { type: 'null' }] }],
      };
    }
    const schema = { type: 'object', $defs, properties: { x: { $ref: '#/$defs/d0' } } };
    expect(await validator.validate(schema, { x: 'text' })).toMatchObject({
      error_type: 'ValidationError',
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['is too deep', Array.from({ length: 5000 }).reduce<Record<string, unknown>>((items) => ({ items }), {})],
    ['is too long', { enum: ['x'.repeat(70_000)] }],
    ['has too many references', { allOf: Array.from({ length: 300 }, () => ({ $ref: '#/$defs/a' })) }],
    ['refers to another document', { $ref: 'https://example.com/schema.json' }],
    ['has a dangling reference', { $ref: '#/$defs/none' }],
    ['has an unknown type', { type: 'function' }],
    ['has a list where a schema belongs', { properties: [] }],
    ['refers to itself', { $ref: '#' }],
  ])('that %s causes a named problem, never an exception', async (_what, schema) => {
    const refused = await validator.validate(schema, {});
    expect(refused?.error_type).toBe('ValidationError');
    expect(refused?.error_message).toMatch(/input schema/);
  });

  it('is reported before its tool is offered', () => {
    expect(schemas.findProblem({ $ref: 'http://x/y' })).toBe('The input schema refers to another document.');
    expect(schemas.findProblem(add)).toBeUndefined();
  });

  it('cannot access the schema of another tool by its id', async () => {
    await validator.validate({ type: 'object', properties: { x: { $id: 'urn:mine', type: 'string' } } }, {});
    expect(schemas.findProblem({ $ref: 'urn:mine' })).toBeDefined();
  });

  it('cannot make deep arguments overflow the stack', async () => {
    let args: Record<string, unknown> = {};
    for (let level = 0; level < 20_000; level++) args = { args };
    expect(await validator.validate({ type: 'object' }, args)).toMatchObject({
      error_type: 'ValidationError',
    });
  });

  it('never causes an exception, for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('type', 'items', 'properties', 'enum', '$ref', 'not', 'anyOf'),
          fc.jsonValue(),
        ),
        async (schema) => {
          const refused = await validator.validate(schema, { a: 1 });
          expect(refused === undefined || refused.error_type === 'ValidationError').toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is evicted with all others when the cache is full, and compiled again', () => {
    const bounded = new ArgumentValidator({ ...others, schemas: new InputSchemas(3) });
    for (let n = 0; n < 10; n++) {
      expect(bounded.validate({ type: 'object', properties: { x: { const: n } } }, { x: n })).toBeUndefined();
      expect(bounded.validate(add, { a: 1, b: '2' })).toBeDefined();
    }
  });
});
