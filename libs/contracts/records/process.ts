import { z } from 'zod';
import { processIdSchema, roleSchema } from '../ids.js';

export const processSchema = z.object({
  _id: processIdSchema,
  role: roleSchema,
  host: z.string(),
  beat: z.int(),
});

export type ProcessRow = z.infer<typeof processSchema>;
