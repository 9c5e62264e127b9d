import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from '../ids.js';
import { errorDetailSchema, jsonObjectSchema, toolClassSchema } from '../tool-messages.js';
import { rolesSchema } from './roles.js';

/** One piece of the model's output, in order. */
export const blockSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    /** Set when this text shows a standalone artifact; only in a formatter's output. */
    artifact: z
      .object({ type: z.string(), title: z.string(), content: z.string(), language: z.string().optional() })
      .optional(),
  }),
  /** Reasoning. Only signed thinking, or such with `data`, goes back to the model. */
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional(),
    /** Data that the provider needs back, as its adapter wrote it. */
    data: z.string().optional(),
    /** The `provider/model` that produced the thinking: no other provider gets it. Absent: Anthropic. */
    model: z.string().optional(),
  }),
  /** `name` is the name that the model used (`math__add`); the call itself is in `calls`. */
  z.object({
    type: z.literal('tool_use'),
    tool_call_id: toolCallIdSchema,
    name: z.string(),
    arguments: jsonObjectSchema,
  }),
]);

export const toolSourceSchema = z.enum(['local', 'mcp']);

/** A call as its step committed it; it never changes later. */
export const callSchema = z.object({
  tool_call_id: toolCallIdSchema,
  tool_name: z.string(),
  display_name: z.string(),
  source: toolSourceSchema,
  arguments: jsonObjectSchema,
  class: toolClassSchema,
  timeout_ms: z.int().min(1),
  approval: z.enum(['none', 'required']),
  /** Somebody else with one of these roles approves it; absent: the user of the turn does. */
  approvers: rolesSchema.optional(),
  /** When an approval that no one gave expires; absent: 7 days after the step. */
  expires_at: timestampSchema.optional(),
  /** How long the call may wait in its queue, on top of its timeout; absent: 60 s. */
  queueing_ms: z.int().min(0).optional(),
  /** How many workers may try the call in all; absent: 3. */
  max_attempts: z.int().min(1).optional(),
  /** The tool's version in the turn's catalogue: a worker with another major version does not run the call. */
  tool_version: z.string().max(64).optional(),
  /** Set when the call must not be sent (unknown name, bad arguments, cut off): the call is settled with this error. */
  refusal: errorDetailSchema.optional(),
});

export const usageSchema = z.object({
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  /** Part of `input_tokens` that the provider read from its cache. */
  cached_tokens: z.int().min(0),
});

/** The usage of one model for a step, whatever the result. */
export const spentSchema = usageSchema.extend({
  /** `provider/model`. */
  model: z.string(),
  /** By the model's price at that time; absent: it had no price. */
  cost: z.number().min(0).optional(),
});

export const stopReasonSchema = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'pause_turn',
  'refusal',
  'context_overflow',
  'stop_sequence',
]);

export const failureCodeSchema = z.enum([
  'model_error',
  'refused',
  'context_overflow',
  'budget_exceeded',
  'internal',
]);

export const stepSchema = z.object({
  /** `<turn>:<n>`: one process commits step n. */
  _id: z.string(),
  turn_id: idSchema,
  conversation_id: idSchema,
  turn_number: z.int().min(1),
  n: z.int().min(1),
  /** 100 × the turn's claim attempt + retry; 0 for rows that no driver wrote. */
  attempt: z.int().min(0),
  kind: z.enum(['model', 'summary', 'cancel', 'fail']),
  blocks: z.array(blockSchema),
  calls: z.array(callSchema),
  stop_reason: stopReasonSchema.nullable(),
  usage: usageSchema.nullable(),
  /** By model, including fallbacks and failed attempts; absent: unknown. */
  spent: z.array(spentSchema).optional(),
  /** The `provider/model` that wrote the step. */
  model: z.string().optional(),
  /**
   * Only in turns with a formatter. True: this is the answer, and the turn ends with it. False: a forced call that
   * could not be read.
   */
  final: z.boolean().optional(),
  /** Only in `fail` rows. */
  error: z.object({ code: failureCodeSchema, message: z.string() }).optional(),
  at: timestampSchema,
});

export type Block = z.infer<typeof blockSchema>;
export type ToolSource = z.infer<typeof toolSourceSchema>;
export type Call = z.infer<typeof callSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type Spent = z.infer<typeof spentSchema>;
export type StopReason = z.infer<typeof stopReasonSchema>;
export type FailureCode = z.infer<typeof failureCodeSchema>;
export type Step = z.infer<typeof stepSchema>;
