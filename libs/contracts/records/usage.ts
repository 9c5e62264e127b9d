import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { usageSchema } from './step.js';

/** `2026-03-01`, in UTC. */
export const daySchema = z.iso.date({ error: 'must be a day such as 2026-03-01' });

/**
 * The usage of one user, conversation, model and day: a sum over the `spent` of committed steps. Each step counts once,
 * because steps are counted in order and `counted_to` says how far. The row has no content, so it outlives its
 * conversation.
 */
export const usageRowSchema = usageSchema.extend({
  _id: z.string(),
  user_id: z.string(),
  day: daySchema,
  conversation_id: idSchema,
  /** `provider/model`. */
  model: z.string(),
  /** In the unit of the configured prices; 0 for a model without a price. */
  cost: z.number().min(0),
  /** Grows with each step of the conversation. */
  counted_to: z.int().min(0),
});

/** The maximum that a running model call may use. `_id` is that of its turn, which makes one call at a time. */
export const usageHoldSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  tokens: z.int().min(0),
  cost: z.number().min(0),
  at: timestampSchema,
});

export type UsageRow = z.infer<typeof usageRowSchema>;
export type UsageHold = z.infer<typeof usageHoldSchema>;
