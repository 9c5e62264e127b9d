import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/**
 * Small state of a user that a dialect's clients expect the server to hold, or that sign-in needs. `_id` is a hash of
 * user, dialect and key, so a key has one value.
 */
export const bindingSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  /** As in `DIALECTS`; `sign-in`, `invitations` and `sessions` belong to the accounts. */
  dialect: z.string(),
  key: writtenTextSchema,
  /** JSON text in the dialect's own format. The last writer wins, as with `at`. */
  value: writtenTextSchema,
  at: timestampSchema,
  /** It is removed with the content of this conversation. */
  conversation_id: idSchema.optional(),
  /** It is removed then, unless this time is moved before. */
  expires_at: timestampSchema.optional(),
});

export type Binding = z.infer<typeof bindingSchema>;
