import { z } from 'zod';
import { defineTool, defineToolset, type ToolsetHost } from '#tools';

const input = z.strictObject({
  a: z.int().describe('First integer'),
  b: z.int().describe('Second integer'),
});

export function createMathToolset(): ToolsetHost {
  return defineToolset({
    name: 'math',
    version: '1.0.0',
    tools: [
      defineTool({
        name: 'add',
        description: 'Adds two integers and returns the exact sum.',
        input,
        class: 'read',
        timeoutMs: 5000,
        run: ({ a, b }) => exact(BigInt(a) + BigInt(b)),
      }),
      defineTool({
        name: 'multiply',
        description: 'Multiplies two integers and returns the exact product.',
        input,
        class: 'read',
        timeoutMs: 5000,
        run: ({ a, b }) => exact(BigInt(a) * BigInt(b)),
      }),
    ],
  });
}

/** A JSON number would lose digits beyond the safe integers, so such results are decimal strings. */
function exact(result: bigint): { value: number | string } {
  const number = Number(result);
  return { value: Number.isSafeInteger(number) ? number : result.toString() };
}
