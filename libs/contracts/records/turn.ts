import { z } from 'zod';
import { clientMessageIdSchema, idSchema, timestampSchema } from '../ids.js';
import { jsonObjectSchema } from '../tool-messages.js';
import { toolChoiceSchema } from './conversation.js';
import { rolesSchema } from './roles.js';
import { writtenTextSchema } from './written-text.js';

export const turnStatusSchema = z.enum([
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
]);

/** Choices for one turn. Unknown fields are dropped, and new fields are optional. */
export const turnOptionsSchema = z.object({
  /** `provider/model` as in `MODEL`; absent: the deployment's model. */
  model: z.string().max(200).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** The maximum number of tokens that the model may write in one step. */
  max_output_tokens: z.int().min(1).max(200_000).optional(),
  tools: toolChoiceSchema.optional(),
  /** The turn consists of this one call (bus name), and no model is asked. */
  call: z.object({ tool_name: z.string().max(128), arguments: jsonObjectSchema }).optional(),
  /** Follows the deployment's system prompt. */
  system: z.string().max(200_000).optional(),
  /** The turn took place elsewhere: this was its answer, and no model is asked. Clients cannot set it. */
  answer: z.string().optional(),
  /** After the loop of model and tools, one forced call makes the model write its answer as text and artifacts. */
  formatter: z.literal(true).optional(),
  /** The number of steps with calls that ends the loop; only with `formatter`, default 5. */
  max_tool_steps: z.int().min(1).max(100).optional(),
  /** Text before the message, for the model only. */
  context: z.string().max(1_000_000).optional(),
  /** The value of `dataFiles` for tools that take it: files by variable name. */
  data_files: z
    .array(z.object({ name: z.string().max(256), file: z.string().max(1024) }))
    .max(100)
    .optional(),
  /** Viewers see the log messages that MCP servers write during its calls, unless the operator forbids it. */
  logs: z.literal(true).optional(),
});

export const turnSchema = z.object({
  _id: idSchema,
  conversation_id: idSchema,
  /** 1, 2, … in its conversation, without gaps. */
  number: z.int().min(1),
  user_id: z.string(),
  client_message_id: clientMessageIdSchema,
  content: writtenTextSchema,
  options: turnOptionsSchema,
  /** The user's, of those that rules of tools name, when the message was accepted; absent: none. */
  roles: rolesSchema.optional(),
  traceparent: z.string().optional(),
  at: timestampSchema,
  /** Cache of the derived status. An ended status is never wrong; the others may lag. */
  status: turnStatusSchema,
  /**
   * Cache: when the sweeper looks next (ms since epoch); null when the turn has ended and every call has an outcome.
   */
  due_at: z.number().nullable(),
});

export type TurnStatus = z.infer<typeof turnStatusSchema>;
export type TurnOptions = z.infer<typeof turnOptionsSchema>;
export type Turn = z.infer<typeof turnSchema>;
