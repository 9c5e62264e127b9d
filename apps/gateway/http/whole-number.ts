import { z } from 'zod';

/** A number in a query. */
export function wholeNumber(min: number, max: number, preset: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(preset);
}
