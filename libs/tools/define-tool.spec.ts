import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { runTool } from './run-tool.js';
import type { ToolContext } from './tool.port.js';

const toolWith = (input: z.ZodType) =>
  defineTool({
    name: 'echo',
    description: 'Says what it was given.',
    input,
    class: 'read',
    timeoutMs: 1_000,
    run: (args) => args,
  });

it('a local tool has the version that its author gives it, which must be one', () => {
  const about = {
    name: 'echo',
    description: 'Echoes.',
    class: 'read',
    timeoutMs: 1_000,
    run: () => 1,
  } as const;
  const input = z.strictObject({});
  expect(defineTool({ ...about, input, version: '1.4.0' }).definition.version).toBe('1.4.0');
  expect(defineTool({ ...about, input }).definition).not.toHaveProperty('version');
  expect(() => defineTool({ ...about, input, version: '1.4' })).toThrow(
    'The tool "echo": version must be like 1.4.0 (major.minor.patch).',
  );
});

it('the output of a local tool must be an object that JSON Schema can describe', () => {
  const about = { name: 'echo', description: 'Echoes.', class: 'read', timeoutMs: 1_000 } as const;
  const define = (output: z.ZodType) =>
    defineTool({ ...about, input: z.strictObject({}), output, run: () => 1 });
  expect(() => define(z.string())).toThrow('The tool "echo": output must be an object');
  expect(() => define(z.object({ at: z.date() }))).toThrow('output cannot be written as a JSON Schema');
});

describe('the arguments of a local tool', () => {
  it('are parsed by its zod schema, with defaults and refinements', async () => {
    const tool = toolWith(
      z.strictObject({
        unit: z.string().default('C'),
        even: z.number().refine((n) => n % 2 === 0, 'is odd'),
      }),
    );
    expect(await runTool(tool, { even: 2 })).toMatchObject({ data: { unit: 'C', even: 2 } });
    expect(await runTool(tool, { even: 3 })).toMatchObject({
      status: 'failure',
      error: { error_type: 'ValidationError', error_message: 'even: is odd' },
    });
  });

  // A few seconds of backtracking: a limit that is missing is a failed test, not one that hangs.
  const slow = `${'a'.repeat(28)}!`;
  it.each<[string, z.ZodType]>([
    ['a pattern', z.string().regex(/^(a+)+$/)],
    ['a refinement', z.string().refine((text) => /^(a+)+$/.test(text))],
    ['a transformation', z.preprocess((text) => /^(a+)+$/.test(String(text)), z.boolean())],
  ])('that are slow to check are refused alone: %s', async (_what, text) => {
    const tool = toolWith(z.strictObject({ text }));
    const run = async (args: unknown) => tool.run(args as Record<string, unknown>, {} as ToolContext);
    await expect(run({ text: slow })).rejects.toMatchObject({
      detail: {
        error_type: 'ValidationError',
        error_message: expect.stringContaining('take more than 100 ms to read'),
      },
    });
    expect(await run({ text: 'aaa' })).toBeDefined();
  });
});
