import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { toolPage } from './tool-page.js';

const source = {
  ...{
    name: 'forecast',
    description: 'Tells the weather of tomorrow.',
    class: 'read' as const,
    timeoutMs: 5_000,
  },
  run: () => ({ sky: 'sun' }),
};

it('has what a person needs who uses the tool', () => {
  const tool = defineTool({
    ...source,
    input: z.strictObject({
      city: z.string().describe('Name of the city,\nin English | short'),
      unit: z.enum(['C', 'F']).optional(),
      days: z.array(z.int()).optional(),
    }),
    output: z.object({ sky: z.union([z.string(), z.null()]) }),
    about: {
      errors: { ResourceNotFound: 'There is no such city.' },
      examples: [{ arguments: { city: 'Oslo' }, result: { sky: 'snow' } }],
      security: 'It asks a server of the weather service, which learns the city.',
      changes: { '1.1.0': 'Units.', '1.0.0': 'First.' },
    },
  });
  expect(toolPage('weather', '1.1.0', tool)).toBe(`# weather.forecast

Tells the weather of tomorrow.

Version 1.1.0. Models call it \`weather__forecast\`.

## Input

| name | type | required |  |
| --- | --- | --- | --- |
| \`city\` | string | yes | Name of the city, in English \\| short |
| \`unit\` | "C", "F" | no |  |
| \`days\` | array of integer | no |  |

## Output

| name | type | required |  |
| --- | --- | --- | --- |
| \`sky\` | string or null | yes |  |

## Effect

Class \`read\`. It changes nothing. When its worker is lost, the call runs again. It ends after 5 s at the latest.

## Errors

- \`ResourceNotFound\`: There is no such city.

## Examples

- \`{"city":"Oslo"}\` gives \`{"sky":"snow"}\`

## Security

It asks a server of the weather service, which learns the city.

## Changes

- 1.1.0: Units.
- 1.0.0: First.
`);
});

it('leaves out what the author does not say, or says in another form', () => {
  const tool = defineTool({ ...source, input: z.strictObject({}), about: { errors: 'none' } as never });
  const page = toolPage('weather', '1.0.0', tool);
  expect(page).toContain('It takes no arguments.');
  expect(page).toContain('Nothing is promised.');
  expect(page).not.toMatch(/## (Errors|Examples|Security|Changes)/);
});
