import { z } from 'zod';

const texts = z.record(z.string(), z.string());

/** What an author says to the people who use a tool, and not to models. */
export const toolAboutSchema = z.strictObject({
  /** When it fails with which error, by type (`ResourceNotFound`). */
  errors: texts.optional(),
  /** `arguments` must fit the input; `result` is what such a call returns. */
  examples: z
    .array(z.strictObject({ arguments: z.record(z.string(), z.unknown()), result: z.unknown().optional() }))
    .optional(),
  /** What it can reach and change, with whose rights, and what it must not be given. */
  security: z.string().optional(),
  /** What changed, by version. */
  changes: texts.optional(),
});

export type ToolAbout = z.input<typeof toolAboutSchema>;
