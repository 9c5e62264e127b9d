import { z } from 'zod';
import { groupNameSchema } from '#contracts';

const TOOLSET = /^[a-z0-9_]{1,64}$/;

/** Groups of workers that have credentials of their own for the broker, and none for the store. */
export const groupsSchema = z
  .array(
    z.strictObject({
      name: groupNameSchema,
      toolsets: z
        .array(z.string().regex(TOOLSET, { error: 'must be the name of a toolset (math)' }))
        .min(1)
        .max(200),
    }),
  )
  .max(200)
  .refine((groups) => isEachOnce(groups.map(({ name }) => name)), { error: 'must have different names' })
  .refine((groups) => isEachOnce(groups.flatMap(({ toolsets }) => toolsets)), {
    error: 'must not share a toolset',
  })
  .default([]);

function isEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
