import { z } from 'zod';
import { timestampSchema } from '../ids.js';

/** What the broker gave up on, as it came. */
export const deadLetterSchema = z.object({
  _id: z.string(),
  /** Where it died. */
  queue: z.string(),
  reason: z.string(),
  message_id: z.string(),
  /** Its text; of more than 1 MiB only the beginning. */
  content: z.string(),
  /** Bytes of the whole message. */
  size: z.int().min(0).optional(),
  /** The turn that it was about, if that can be read. */
  turn_id: z.string().optional(),
  at: timestampSchema,
  /** When it was last put back into its queue, and by whom. */
  replayed_at: timestampSchema.optional(),
  replayed_by: z.string().optional(),
});

export type DeadLetter = z.infer<typeof deadLetterSchema>;
