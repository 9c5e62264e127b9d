import { z } from 'zod';
import { timestampSchema } from '../ids.js';
import { jsonObjectSchema, toolClassSchema } from '../tool-messages.js';
import { writtenTextSchema } from './written-text.js';

/**
 * A definition of a tool that workers have announced, as it was judged when it was new. Later ones are compared with
 * those that are accepted.
 */
export const definitionSchema = z.object({
  /** See `definitionIdOf`. */
  _id: z.string().max(256),
  /** Bus name, `toolset.tool`. */
  tool: z.string(),
  toolset: z.string(),
  version: writtenTextSchema,
  contract: z.object({
    class: toolClassSchema,
    input_schema: jsonObjectSchema,
    output_schema: jsonObjectSchema.optional(),
  }),
  /** How it breaks an accepted one of the same major version; empty: it does not. */
  breaks: z.array(z.string()),
  /** `pending`: it is quarantined until an operator accepts it. */
  state: z.enum(['accepted', 'pending']),
  at: timestampSchema,
  /** The operator who has accepted it. */
  accepted_by: z.string().optional(),
  accepted_at: timestampSchema.optional(),
});

export type Definition = z.infer<typeof definitionSchema>;
/** Without its schemas, which may be large. */
export type ListedDefinition = Omit<Definition, 'contract'>;

export function definitionIdOf({ name, hash }: { name: string; hash: string }): string {
  return `${name}@${hash}`;
}
