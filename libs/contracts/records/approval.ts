import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from '../ids.js';
import { rolesSchema } from './roles.js';

/**
 * A call that may wait for somebody other than its user. It only helps to find such calls: the journal says whether the
 * call waits.
 */
export const approvalRequestSchema = z.object({
  _id: toolCallIdSchema,
  turn_id: idSchema,
  conversation_id: idSchema,
  /** Of the turn. */
  user_id: z.string(),
  /** Of these roles one is required to answer. */
  approvers: rolesSchema,
  at: timestampSchema,
  /** When nobody can answer any more, ms since epoch. */
  due_at: z.number(),
});

export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;
