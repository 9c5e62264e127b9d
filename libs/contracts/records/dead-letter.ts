import { z } from 'zod';
import { timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** What the broker gave up on. */
export const deadLetterSchema = z.object({
  _id: z.string(),
  /** Where it died. */
  queue: z.string(),
  reason: writtenTextSchema,
  message_id: writtenTextSchema,
  /** As JSON what it says of itself without what users and tools have written: ids, times, sizes; may be empty. */
  content: writtenTextSchema,
  /** Bytes of the whole message. */
  size: z.int().min(0).optional(),
  /** The turn that it was about, if that can be read. */
  turn_id: z.string().optional(),
  at: timestampSchema,
  /** When it was last put back into its queue, and by whom. */
  replayed_at: timestampSchema.optional(),
  replayed_by: writtenTextSchema.optional(),
});

export type DeadLetter = z.infer<typeof deadLetterSchema>;
