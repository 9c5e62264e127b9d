import { describe, expect, it } from '@jest/globals';
import { InputSchemas } from '#tools';
import { stdioServer } from '../testing/fixture.js';
import { describeTools } from './describe-tools.js';

const schemas = new InputSchemas();
const list = (tools: Parameters<typeof describeTools>[0]) =>
  describeTools(tools, stdioServer('s', []), (schema) => schemas.findProblem(schema));
const object = { type: 'object' as const };

describe('describeTools', () => {
  it('leaves out tools with an unusable schema or a duplicate name, with the reason', () => {
    const { accepted, refused } = list([
      { name: 'good', inputSchema: object },
      { name: 'remote', inputSchema: { ...object, $ref: 'https://example.com/x' } },
      { name: 'good', inputSchema: object, description: 'another' },
    ]);
    expect(accepted.map(({ own_name }) => own_name)).toEqual(['good']);
    expect(refused).toEqual([
      { name: 'remote', reason: 'The input schema refers to another document.' },
      { name: 'good', reason: 'Another tool of the server has this name.' },
    ]);
  });

  it('bounds the number and the size of a server’s tools', () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ name: `t${n}`, inputSchema: object }));
    expect(list(many).accepted).toHaveLength(512);
    const large = many.map((tool) => ({ ...tool, description: 'x'.repeat(10_000) }));
    const { accepted } = list(large);
    expect(JSON.stringify(accepted).length).toBeLessThan(300 * 1024);
    expect(accepted[0]?.description).toHaveLength(4096);
  });

  it('takes output schemas that can be used, as far as there is room; a tool without one is offered all the same', () => {
    const outputSchema = { ...object, properties: { sum: { type: 'number' } } };
    const { accepted, withoutOutput } = list([
      { name: 'good', inputSchema: object, outputSchema },
      { name: 'none', inputSchema: object },
      { name: 'remote', inputSchema: object, outputSchema: { ...object, $ref: 'https://example.com/x' } },
    ]);
    expect(accepted.map(({ output_schema }) => output_schema)).toEqual([outputSchema, undefined, undefined]);
    expect(withoutOutput).toEqual(['remote']);
    const long = { ...object, properties: { text: { enum: ['x'.repeat(50_000)] } } };
    const many = Array.from({ length: 8 }, (_, n) => ({
      ...{ name: `t${n}`, inputSchema: object, outputSchema: long },
    }));
    const listed = list(many);
    expect(listed.accepted).toHaveLength(8);
    expect(listed.accepted.filter(({ output_schema }) => output_schema)).toHaveLength(5);
    expect(listed.withoutOutput).toEqual(['t5', 't6', 't7']);
  });

  it('stops checking after too many refused tools', () => {
    const unusable = Array.from({ length: 500 }, (_, n) => ({
      name: `t${n}`,
      inputSchema: { ...object, $ref: 'https://example.com/x' },
    }));
    let checked = 0;
    const count = (schema: Record<string, unknown>) => {
      checked++;
      return schemas.findProblem(schema);
    };
    const { refused, unchecked } = describeTools(
      [...unusable, { name: 'good', inputSchema: object }],
      stdioServer('s', []),
      count,
    );
    expect(checked).toBeLessThan(50);
    expect(refused).toHaveLength(checked);
    expect(unchecked).toBe(501 - checked);
  });
});
