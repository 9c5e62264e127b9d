import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/**
 * Small state of a user that a dialect's clients expect the server to hold, or that signing in needs; `_id` is a hash
 * of user, dialect and key, so a key has one value.
 */
export const bindingSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  /** As in `DIALECTS`; `sign-in` and `invitations` are the accounts' own. */
  dialect: z.string(),
  key: writtenTextSchema,
  /** JSON text, the dialect's own. Last writer wins, as with `at`. */
  value: writtenTextSchema,
  at: timestampSchema,
  /** It goes with the content of this conversation. */
  conversation_id: idSchema.optional(),
  /** It goes then, unless this is moved before. */
  expires_at: timestampSchema.optional(),
});

export type Binding = z.infer<typeof bindingSchema>;
