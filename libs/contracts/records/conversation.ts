import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** What happens to a message in a conversation whose turn has not ended. */
export const policySchema = z.enum(['enqueue', 'reject', 'interrupt']);

/** A model as in `MODEL`. */
export const modelNameSchema = z
  .string()
  .max(200)
  .regex(/^(demo|[a-z0-9-]+\/\S+)$/, { error: 'must be demo or provider/model' });

/** Which tools may be used: servers (`math`) or single tools (`math.add`); `block` wins, no `allow` allows all. */
export const toolChoiceSchema = z.object({
  allow: z.array(z.string().max(256)).max(500).optional(),
  block: z.array(z.string().max(256)).max(500).optional(),
  /**
   * Of these servers (by their exact names) only these tools (by their own names); for any other server the lists above
   * decide.
   */
  only: z
    .array(z.object({ server: z.string().max(256), tools: z.array(z.string().max(256)).max(1000) }))
    .max(500)
    .optional(),
});

export const conversationSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  title: writtenTextSchema,
  policy: policySchema,
  /** The tools that its turns may use; absent: everything that the deployment offers. */
  tools: toolChoiceSchema.optional(),
  /** `provider/model` of its turns; absent or empty: the deployment's. */
  model: z.string().max(200).optional(),
  created_at: timestampSchema,
  /** Cache: the newest turn's time, for lists. */
  updated_at: timestampSchema,
  /** The deletion mark: from then on the conversation is hidden from everyone, and its content is removed. */
  deleted_at: timestampSchema.optional(),
  /** Created for one request of another protocol: listed nowhere, and removed at this time. */
  expires_at: timestampSchema.optional(),
  /** Cache, for a marked or expiring conversation: when the sweeper looks next (ms since epoch). */
  due_at: z.number().optional(),
  /** Cache, for a marked conversation: the number of the turn up to which the search for late rows has come. */
  late_after: z.int().min(0).optional(),
});

export type Policy = z.infer<typeof policySchema>;
export type Conversation = z.infer<typeof conversationSchema>;
export type ToolChoice = z.infer<typeof toolChoiceSchema>;
