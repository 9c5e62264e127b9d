import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { compareWithOffered } from './compare-with-offered.js';
import { defineTool, type ToolSource } from './define-tool.js';
import { reviewTool } from './review-tool.js';

const source = {
  name: 'forecast',
  description: 'Tells the weather of tomorrow in a city.',
  input: z.strictObject({ city: z.string().describe('Its name') }),
  class: 'read' as const,
  timeoutMs: 1_000,
  version: '1.0.0',
  run: () => 'sun',
};
const review = (change: Partial<ToolSource<z.ZodType>> = {}, toolset = 'weather') =>
  reviewTool(toolset, defineTool({ ...source, ...change }));

describe('the review of a tool', () => {
  it('has nothing to say of a good one', () => {
    expect(review()).toEqual([]);
    expect(review({ input: z.strictObject({}) })).toEqual([]);
  });

  it.each<[string, Partial<ToolSource<z.ZodType>>]>([
    ['no version', { version: undefined }],
    ['too short', { description: 'Weather.' }],
    ['1025 characters', { description: 'x'.repeat(1_025) }],
    ['these arguments: city', { input: z.strictObject({ city: z.string() }) }],
    ['does not name', { input: z.object({ city: z.string().describe('Its name') }) }],
    ['models see it as', { name: 'f'.repeat(60) }],
    ['its page cannot be made: about.errors', { about: { errors: 'none' } as never }],
    [
      'the result of example 1 does not fit its output',
      {
        output: z.object({ sky: z.string() }),
        about: { examples: [{ arguments: { city: 'Oslo' }, result: { sky: 1 } }] },
      },
    ],
    ['example 2 do not fit', { about: { examples: [{ arguments: { city: 'Oslo' } }, { arguments: {} }] } }],
  ])('warns: %s', (text, change) => {
    expect(review(change)).toEqual([
      {
        subject: expect.stringMatching(/^weather\.f/),
        level: 'warning',
        text: expect.stringContaining(text),
        mend: expect.any(String),
      },
    ]);
  });
});

describe('a tool compared with the one that runs', () => {
  const contract = (version: string, input: z.ZodType, toolClass: 'read' | 'once' = 'read') => ({
    ...{ version, class: toolClass },
    input_schema: z.toJSONSchema(input) as Record<string, unknown>,
  });
  const compare = (before: [string, z.ZodType], after: [string, z.ZodType]) =>
    compareWithOffered('weather.forecast', contract(...before), contract(...after));
  const city = z.strictObject({ city: z.string() });
  const more = z.strictObject({ city: z.string(), days: z.int().optional() });

  it.each<[string, string | undefined, [string, z.ZodType], [string, z.ZodType]]>([
    ['ok', 'breaks nothing: 1.1.0, after 1.0.0', ['1.0.0', city], ['1.1.0', more]],
    ['ok', 'a new major version: 2.0.0, after 1.1.0', ['1.1.0', more], ['2.0.0', city]],
    [
      'error',
      '1.2.0, after 1.1.0, breaks calls made for it: input days was removed',
      ['1.1.0', more],
      ['1.2.0', city],
    ],
    ['error', 'input days was removed', ['1.0.0', more], ['1.0.0', city]],
    ['warning', 'it changed, and is 1.0.0 as before', ['1.0.0', city], ['1.0.0', more]],
    ['warning', '1.0.0 is older than the running 1.1.0', ['1.1.0', more], ['1.0.0', city]],
  ])('is %s: %s', (level, text, before, after) => {
    expect(compare(before, after)).toMatchObject({ level, text: expect.stringContaining(text!) });
  });

  it('is nothing when nothing changed', () => {
    expect(compare(['1.0.0', city], ['1.0.0', city])).toBeUndefined();
  });
});
