import { defineTool, ResourceNotFoundError, z } from '@switchyard/tool-worker/tools';

/** Hours after midnight, local time. */
const HIGH_WATER: Record<string, number[]> = { hamburg: [4, 16], bergen: [1, 13] };

export default defineTool({
  name: 'high_water',
  description: 'Tells when high water is today in a harbour. Knows Hamburg and Bergen.',
  input: z.strictObject({ harbour: z.string().min(1).describe('Name of the harbour, in English') }),
  output: z.object({ harbour: z.string(), hours: z.array(z.number()).describe('Hours after midnight') }),
  version: '1.0.0',
  class: 'read',
  timeoutMs: 5_000,
  run: ({ harbour }) => {
    const hours = HIGH_WATER[harbour.toLowerCase()];
    if (!hours) throw new ResourceNotFoundError(`No tides for ${harbour}.`);
    return { harbour, hours };
  },
});
