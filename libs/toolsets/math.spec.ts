import { describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { ArgumentValidator } from '#tools';
import { InPlaceChecks } from '../tools/testing/index.js';
import { toolContext } from './testing/tool-context.js';
import { createMathToolset } from './math.js';

const tools = createMathToolset().tools();
const tool = (name: string) => tools.find(({ definition }) => definition.own_name === name)!;
const MAX = Number.MAX_SAFE_INTEGER;

describe('math', () => {
  it.each<[string, number, number, number | string, string]>([
    ['add', 2, 3, 5, '5'],
    ['multiply', 5, 3, 15, '15'],
    ['multiply', -7, 0, 0, '0'],
    ['add', MAX, MAX, '18014398509481982', '18014398509481982'],
    ['multiply', MAX, -MAX, '-81129638414606663681390495662081', '-81129638414606663681390495662081'],
  ])('%s(%d, %d) is exact', async (name, a, b, value, text) => {
    const result = await tool(name).run({ a, b }, toolContext());
    expect(result).toEqual({ status: 'success', data: { value } });
    expect(plainText(result)).toBe(text);
  });

  it('takes two required safe integers and nothing else', async () => {
    const validator = new ArgumentValidator({
      slowChecks: new InPlaceChecks(),
      refusals: { note: () => undefined },
    });
    const { input_schema } = tool('add').definition;
    expect(input_schema).toMatchObject({ type: 'object', required: ['a', 'b'], additionalProperties: false });
    expect(input_schema.properties).toMatchObject({ a: { type: 'integer' }, b: { type: 'integer' } });
    expect(validator.validate(input_schema, { a: 2, b: 3 })).toBeUndefined();
    expect(await validator.validate(input_schema, { a: '2', b: 3 })).toMatchObject({
      error_details: { parameter: 'a' },
    });
    expect(validator.validate(input_schema, { a: 2 ** 53, b: 3 })).toBeDefined();
    expect(validator.validate(input_schema, { a: 1.5, b: 3 })).toBeDefined();
    expect(validator.validate(input_schema, { a: 1, b: 3, c: 1 })).toBeDefined();
  });
});
