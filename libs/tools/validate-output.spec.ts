import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ToolResult } from '#contracts';
import { defineTool } from './define-tool.js';
import { runTool } from './run-tool.js';
import { SchemaChecks } from './schema-checks.js';
import { InPlaceChecks } from './testing/index.js';
import { partly, unchanged } from './tool-answer.js';
import { failure, success } from './tool-result.js';
import { checkOutput } from './validate-output.js';

const sum = z.object({ sum: z.number(), of: z.array(z.number()).optional() });
const { output_schema } = defineTool({
  ...{ name: 'add', description: 'Adds.', class: 'read', timeoutMs: 1_000 },
  input: z.strictObject({}),
  output: sum,
  run: () => 1,
}).definition;

const checks = new SchemaChecks({ slowChecks: new InPlaceChecks() });
const check = (result: ToolResult, source: 'local' | 'mcp' = 'local', schema = output_schema) =>
  checkOutput(checks, { source, output_schema: schema }, result, 'ann');

describe('the output of a tool', () => {
  it('fits its schema, or breaks it at a place that is named', async () => {
    expect(output_schema).toMatchObject({ type: 'object', required: ['sum'] });
    expect(await check(success({ sum: 3, of: [1, 2] }))).toBe('fits');
    expect(await check(success({ sum: '3' }))).toEqual({ problem: 'sum must be number' });
    expect(await check(success({ of: [1] }))).toEqual({ problem: 'sum is required' });
    expect(await check(success({ sum: 3, more: 1 }))).toEqual({ problem: 'more is not in the schema' });
    expect(await check(success('3'))).toEqual({ problem: 'sum is required' });
    expect(await check(success({ sum: 1, 'a\u001b[2J\nb': 1 }))).toEqual({
      problem: 'a b is not in the schema',
    });
  });

  it('promises nothing without a schema, in a failure, and where there was nothing to do', async () => {
    expect(await checkOutput(checks, { source: 'local' }, success('3'), 'ann')).toBe('fits');
    expect(await check(failure('TimeoutError', 'Late.'))).toBe('fits');
    expect(await check({ status: 'no_change_needed', data: null })).toBe('fits');
    expect(await check({ status: 'no_change_needed', data: { sum: 'x' } })).toHaveProperty('problem');
    expect(await check({ status: 'partial_success', data: { sum: 'x' } })).toHaveProperty('problem');
    expect(await check({ status: 'success', data: null })).toEqual({ problem: 'the result is empty' });
  });

  it('of an MCP server is its structured content, which a success must have', async () => {
    expect(await check(success({ text: '3', structured: { sum: 3 } }), 'mcp')).toBe('fits');
    expect(await check(success({ text: '3', structured: { sum: '3' } }), 'mcp')).toEqual({
      problem: 'sum must be number',
    });
    expect(await check(success('3'), 'mcp')).toEqual({ problem: 'the structured content is missing' });
    expect(await check({ ...success('3'), status: 'no_change_needed' }, 'mcp')).toBe('fits');
  });

  it('is unchecked when the check takes too long, or its schema cannot be used', async () => {
    const slow = new SchemaChecks({ slowChecks: { limitMs: 1, check: async () => 'too_slow' } });
    const schema = { type: 'object', properties: { text: { pattern: '^(a+)+$' } } };
    const result = success('a'.repeat(100_000));
    expect(await checkOutput(slow, { source: 'local', output_schema: schema }, result, 'ann')).toBe(
      'unchecked',
    );
    expect(await check(success('x'), 'local', { $ref: 'https://example.com/x' })).toBe('unchecked');
  });
});

it('an author sees in a test how a result breaks its schema', async () => {
  const tool = (run: () => unknown) =>
    defineTool({
      ...{ name: 'add', description: 'Adds.', class: 'read', timeoutMs: 1_000 },
      input: z.strictObject({}),
      output: sum,
      run,
    });
  expect(
    await runTool(
      tool(() => ({ sum: 3 })),
      {},
    ),
  ).not.toHaveProperty('output_problem');
  expect(
    await runTool(
      tool(() => ({ sum: 'x' })),
      {},
    ),
  ).toMatchObject({
    ...{ status: 'success', data: { sum: 'x' }, output_problem: 'sum must be number' },
  });
  expect(
    await runTool(
      tool(() => unchanged('There.')),
      {},
    ),
  ).not.toHaveProperty('output_problem');
  const why = { error_type: 'TimeoutError', error_message: 'Late.' };
  expect(
    await runTool(
      tool(() => partly({ sum: 1 }, why)),
      {},
    ),
  ).not.toHaveProperty('output_problem');
});
