import { z } from 'zod';
import { daySchema } from '#contracts';
import { dayOf } from '#turn';

const DAY_MS = 24 * 3_600_000;
/** Today and the 29 days before. */
const PRESET_DAYS = 30;
const MAX_DAYS = 400;

/** `by=day,model`: each key once. */
function keys<const Key extends string>(all: readonly [Key, ...Key[]], preset: Key[]) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(all)).max(all.length))
    .transform((given) => [...new Set(given)])
    .default(preset);
}

const range = { from: daySchema.optional(), to: daySchema.optional() };
export const ownUsageSchema = z.object({
  ...range,
  by: keys(['day', 'model', 'conversation'], ['day', 'model']),
});
export const allUsageSchema = z.object({
  ...range,
  by: keys(['user', 'day', 'model', 'conversation'], ['user']),
  user_id: z.string().max(256).optional(),
});

/** The days that are asked for; undefined when there are too many, or the last one is before the first. */
export function toDays(
  { from, to }: { from?: string; to?: string },
  now: number,
): { from: string; to: string } | undefined {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Date.parse(last) - (PRESET_DAYS - 1) * DAY_MS);
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return days >= 1 && days <= MAX_DAYS ? { from: first, to: last } : undefined;
}

export const TOO_MANY_DAYS = `from and to must be in order, and at most ${MAX_DAYS} days apart`;
