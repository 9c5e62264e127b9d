import { z } from 'zod';
import { defineTool, defineToolset, type ToolsetHost } from '#tools';

/** What `x.give` gives 100,000 characters for. */
export const LONG = '%LONG%';

/** Toolsets for tests: `x.give` gives what it is told to, when its gate is open; `y.a` and `y.b` say their names. */
export function givingToolsets(gates: Map<string, Promise<void>> = new Map()): ToolsetHost[] {
  const common = { class: 'read' as const, timeoutMs: 10_000 };
  const give = defineTool({
    ...common,
    name: 'give',
    description: 'Gives.',
    input: z.strictObject({ json: z.string(), gate: z.string().optional() }),
    run: async ({ json, gate }) => {
      await gates.get(gate ?? '');
      return JSON.parse(json.replace(LONG, 'x'.repeat(100_000))) as object;
    },
  });
  const count = defineTool({
    ...common,
    name: 'count',
    description: 'Counts.',
    input: z.strictObject({ n: z.int() }),
    run: async ({ n }) => n,
  });
  const fail = defineTool({
    ...common,
    name: 'fail',
    description: 'Fails.',
    input: z.strictObject({}),
    run: async () => {
      throw new Error(`It is broken. ${'x'.repeat(200)}`);
    },
  });
  const named = (name: string) =>
    defineTool({ ...common, name, description: name, input: z.strictObject({}), run: async () => name });
  return [
    defineToolset({ name: 'x', version: '1.0.0', tools: [give, count, fail] }),
    defineToolset({ name: 'y', version: '1.0.0', tools: [named('a'), named('b')] }),
  ];
}
