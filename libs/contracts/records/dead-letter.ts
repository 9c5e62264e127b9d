import { z } from 'zod';
import { timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** A message that the broker gave up on. */
export const deadLetterSchema = z.object({
  _id: z.string(),
  /** The queue in which it died. */
  queue: z.string(),
  reason: writtenTextSchema,
  message_id: writtenTextSchema,
  /** The message's ids, times and sizes as JSON, without text that users and tools have written; may be empty. */
  content: writtenTextSchema,
  /** Bytes of the whole message. */
  size: z.int().min(0).optional(),
  /** The turn that the message was about, if that can be read. */
  turn_id: z.string().optional(),
  at: timestampSchema,
  /** When the message was last put back into its queue, and by whom. */
  replayed_at: timestampSchema.optional(),
  replayed_by: writtenTextSchema.optional(),
});

export type DeadLetter = z.infer<typeof deadLetterSchema>;
