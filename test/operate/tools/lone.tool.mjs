import { defineTool, z } from 'switchyard/tools';

/** A toolset that only one worker hosts. */
export default defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.strictObject({ text: z.string().describe('What') }),
  class: 'read',
  timeoutMs: 5_000,
  run: ({ text }) => text,
});
