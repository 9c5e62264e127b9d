import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** A fact that a user asked to be remembered. `_id` is a hash of user and key, so a key is stored once. */
export const factSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  key: writtenTextSchema,
  /** The last writer wins, as with `at`. */
  text: writtenTextSchema,
  at: timestampSchema,
});

export type Fact = z.infer<typeof factSchema>;
