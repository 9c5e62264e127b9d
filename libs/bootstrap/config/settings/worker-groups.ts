import { z } from 'zod';
import { groupNameSchema } from '#contracts';

const TOOLSET = /^[a-z0-9_]{1,64}$/;

/** Completes "it must be". */
export const GROUP_NAME_RULE = 'the name of a group (a-z, 0-9, -; at most 20 characters)';

/** Groups of workers that have credentials of their own for the broker, and none for the store. */
export const groupsSchema = z
  .array(
    z.strictObject({
      name: z.string().refine((name) => groupNameSchema.safeParse(name).success, {
        error: `must be ${GROUP_NAME_RULE}`,
      }),
      toolsets: z
        .array(z.string().regex(TOOLSET, { error: 'must be the name of a toolset (math)' }))
        .min(1)
        .max(200),
    }),
  )
  .max(200)
  .refine((groups) => isEachOnce(groups.map(({ name }) => name)), { error: 'must have different names' })
  .superRefine((groups, context) => {
    for (const message of describeShared(groups)) context.addIssue({ code: 'custom', message });
  })
  .default([]);

function isEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

function describeShared(groups: readonly { name: string; toolsets: string[] }[]): string[] {
  const names = [...new Set(groups.flatMap(({ toolsets }) => toolsets))];
  return names.flatMap((toolset) => {
    const having = groups.flatMap((group) =>
      group.toolsets.filter((name) => name === toolset).map(() => group.name),
    );
    return having.length < 2 ? [] : [`must not share a toolset: ${toolset} is in ${having.join(' and ')}`];
  });
}
