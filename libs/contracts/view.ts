import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from './ids.js';
import {
  approvalDecisionSchema,
  artifactReferenceSchema,
  failureCodeSchema,
  toolSourceSchema,
  turnStatusSchema,
  usageSchema,
} from './records.js';
import { rolesSchema } from './records/roles.js';
import { stopReasonSchema } from './records/step.js';
import { errorDetailSchema, jsonObjectSchema, resultStatusSchema } from './tool-messages.js';

/*
 * A viewer's state of a conversation: the value of `reduce`, sent whole as `snapshot`. Optional fields are absent,
 * never null.
 */

/** Only moves forward, except running ⇄ awaiting_input. */
export const callStateSchema = z.enum([
  'queued',
  'awaiting_approval',
  'running',
  'awaiting_input',
  'succeeded',
  'failed',
  'cancelled',
  'unknown',
]);

export const callViewSchema = z.object({
  tool_call_id: toolCallIdSchema,
  tool_name: z.string(),
  display_name: z.string(),
  source: toolSourceSchema,
  toolset: z.string(),
  state: callStateSchema,
  attempt: z.int().min(0),
  /** Cut to 4 KiB of JSON (then `truncated`), except while the call waits for approval. */
  args: jsonObjectSchema,
  /** Plain text, cut to 4 KiB (then `truncated`). */
  result: z.string().optional(),
  /** For a call that succeeded; absent: `success`. */
  status: resultStatusSchema.extract(['no_change_needed', 'partial_success']).optional(),
  /** What the tool says to people about its result, cut to 4 KiB. */
  explanation: z.string().optional(),
  error: z
    .object({
      error_type: z.string(),
      error_message: z.string(),
      error_details: errorDetailSchema.shape.error_details,
    })
    .optional(),
  /** Artifacts of the call besides its text, or its whole text; absent: none. */
  artifacts: z.array(artifactReferenceSchema).optional(),
  /**
   * The call's present or last question to its person; removed when the call has ended. The call waits only in
   * `awaiting_input`.
   */
  question: z
    .object({
      /** 1 for the first question of the call. */
      number: z.int().min(1),
      message: z.string(),
      schema: jsonObjectSchema,
      /** In place of fields: the person gives access to an account, see `POST /api/connections/:id/start`. */
      connection: idSchema.optional(),
      /** How many calls may be the one that asks: its server does not say which. Absent: this one does. */
      among: z.int().min(2).optional(),
    })
    .optional(),
  /** While it waits for approval by somebody else, who has one of these roles; absent: its user answers. */
  approvers: rolesSchema.optional(),
  expires_at: timestampSchema.optional(),
  /** A person's (user id) answer to a call that needed approval; `by` is `system` when no one answered in time. */
  approval: z.object({ decision: approvalDecisionSchema, by: z.string() }).optional(),
  worker: z.string().optional(),
  started_at: timestampSchema.optional(),
  ended_at: timestampSchema.optional(),
  duration_ms: z.int().min(0).optional(),
  truncated: z.boolean().optional(),
});

export const stepViewSchema = z.object({
  n: z.int().min(1),
  attempt: z.int().min(0),
  text: z.string(),
  /** True once the step's row exists; later tokens of the step are dropped. */
  committed: z.boolean().optional(),
  /**
   * Set on a step that made room: the text that from here on replaces everything before the turn; empty when only the
   * earlier tool results were shortened. No part of the answer.
   */
  summary: z.string().optional(),
  /** Earlier steps of the turn whose text this one, the formatted answer, replaces. */
  replaces: z.array(z.int().min(1)).optional(),
  calls: z.array(callViewSchema),
});

export const turnViewSchema = z.object({
  turn_id: idSchema,
  number: z.int().min(1),
  content: z.string(),
  /** The sender's user id. */
  by: z.string(),
  client_message_id: z.string(),
  status: turnStatusSchema,
  at: timestampSchema,
  started_at: timestampSchema.optional(),
  ended_at: timestampSchema.optional(),
  /** The last step's id, once the turn has completed. */
  message_id: z.string().optional(),
  usage: usageSchema.optional(),
  /** Why the model stopped before its answer was complete; absent: it was, or nobody knows. */
  stop_reason: stopReasonSchema.exclude(['end_turn']).optional(),
  error: z.object({ code: failureCodeSchema, message: z.string() }).optional(),
  steps: z.array(stepViewSchema),
});

export const viewSchema = z.object({
  conversation_id: idSchema,
  title: z.string(),
  /** True when older turns exist that are not in `turns`. */
  earlier: z.boolean(),
  /** Sorted by number: the last 20 and all unfinished ones. */
  turns: z.array(turnViewSchema),
});

export type CallState = z.infer<typeof callStateSchema>;
export type CallView = z.infer<typeof callViewSchema>;
export type StepView = z.infer<typeof stepViewSchema>;
export type TurnView = z.infer<typeof turnViewSchema>;
export type View = z.infer<typeof viewSchema>;
