import { z } from 'zod';
import { timestampSchema } from '../ids.js';

/** What the broker gave up on. */
export const deadLetterSchema = z.object({
  _id: z.string(),
  /** Where it died. */
  queue: z.string(),
  reason: z.string(),
  message_id: z.string(),
  /** As JSON what it says of itself without what users and tools have written: ids, times, sizes; may be empty. */
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
