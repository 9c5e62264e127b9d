// The toolset with which `switchyard worker-contract` tries a worker (docs/worker-protocol.md).
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolError, z } from 'switchyard/tools';

const version = process.env.CONTRACT_VERSION ?? '1.0.0';
const timeoutMs = 10_000;
const traces = z.strictObject({ file: z.string(), wait_ms: z.number() });

async function leaveTraces({ file, wait_ms }, { signal }) {
  await appendFile(file, 'start\n');
  await sleep(wait_ms, undefined, { signal });
  await appendFile(file, 'end\n');
  return { done: true };
}

export default [
  defineTool({
    ...{ name: 'echo', description: 'Gives the text back.', class: 'read', version, timeoutMs },
    input: z.strictObject({ text: z.string() }),
    run: ({ text }) => ({ text }),
  }),
  defineTool({
    ...{ name: 'act', description: 'Leaves traces in a file.', class: 'once', version, timeoutMs },
    input: traces,
    run: leaveTraces,
  }),
  defineTool({
    ...{
      name: 'repeat',
      description: 'The same, again if need be.',
      class: 'idempotent',
      version,
      timeoutMs,
    },
    input: traces,
    run: leaveTraces,
  }),
  defineTool({
    ...{ name: 'fail', description: 'Fails.', class: 'read', version, timeoutMs },
    input: z.strictObject({ error_type: z.string(), message: z.string() }),
    run: ({ error_type, message: error_message }) => {
      throw new ToolError({ error_type, error_message });
    },
  }),
  defineTool({
    ...{ name: 'count', description: 'Counts, and tells its progress.', class: 'read', version, timeoutMs },
    input: z.strictObject({ to: z.number(), every_ms: z.number() }),
    run: async ({ to, every_ms }, { progress }) => {
      for (let number = 1; number <= to; number++) {
        await sleep(every_ms);
        progress(number, to);
      }
      return { counted: to };
    },
  }),
  defineTool({
    ...{ name: 'ask', description: 'Asks for a name.', class: 'once', version, timeoutMs },
    input: z.strictObject({ message: z.string() }),
    run: async ({ message }, { ask }) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } } };
      const { action, content } = await ask({ message, schema });
      return { action, name: content?.name };
    },
  }),
];
