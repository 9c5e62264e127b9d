import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { defineTool, z } from 'switchyard/tools';

const BLOCK_MS = 400;
/** What `fill` keeps until its worker ends. */
const kept = [];

const seconds = z.number().describe('How long');

/** Tools that take time, the event loop or memory of their worker, as `npm run operate` needs it. */
export default [
  defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.strictObject({ seconds }),
    class: 'read',
    timeoutMs: 120_000,
    run: async (input, { signal }) => {
      await delay(input.seconds * 1_000, undefined, { signal });
      return 'waited';
    },
  }),
  defineTool({
    name: 'block',
    description: 'Keeps the event loop busy, with short pauses.',
    input: z.strictObject({ seconds }),
    class: 'read',
    timeoutMs: 120_000,
    run: async (input) => {
      const endsAt = performance.now() + input.seconds * 1_000;
      while (performance.now() < endsAt) {
        const pausesAt = performance.now() + BLOCK_MS;
        while (performance.now() < pausesAt);
        await setImmediate();
      }
      return 'blocked';
    },
  }),
  defineTool({
    name: 'fill',
    description: 'Takes memory.',
    input: z.strictObject({ mebibytes: z.int().describe('How much') }),
    class: 'read',
    timeoutMs: 120_000,
    run: ({ mebibytes }) => {
      kept.push(Buffer.alloc(mebibytes * 1024 * 1024, 1));
      return 'filled';
    },
  }),
];
