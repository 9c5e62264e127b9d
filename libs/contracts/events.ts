import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from './ids.js';
import {
  approvalDecisionSchema,
  artifactReferenceSchema,
  failureCodeSchema,
  inputActionSchema,
  toolSourceSchema,
  usageSchema,
} from './records.js';
import { rolesSchema } from './records/roles.js';
import { stopReasonSchema } from './records/step.js';
import { jsonObjectSchema, resultStatusSchema } from './tool-messages.js';
import { callViewSchema, viewSchema } from './view.js';

/*
 * Server → client events (client protocol, `docs/protocol.md`), sent unchanged on the event exchanges. Small,
 * transient, idempotent: a client that misses some recovers from the store.
 */

const conversationFields = { conversation_id: idSchema, timestamp: timestampSchema };
const turnFields = { ...conversationFields, turn_id: idSchema };
/** `attempt` grows with every restart of the step, whichever process restarts it. */
const stepFields = { ...turnFields, step: z.int().min(1), attempt: z.int().min(0) };
const callFields = { ...turnFields, step: z.int().min(1), tool_call_id: toolCallIdSchema };
const namedCallFields = { ...callFields, tool_name: z.string(), display_name: z.string() };
const endedCallFields = {
  ...namedCallFields,
  source: toolSourceSchema,
  /** The attempt of the call's run claim; 0 if there never was one. */
  attempt: z.int().min(0),
  worker: z.string(),
  duration_ms: z.int().min(0),
  /** What the tool says to people about its result. */
  explanation: z.string().optional(),
  /** Read at `GET /api/artifacts/:id`. */
  artifacts: z.array(artifactReferenceSchema).optional(),
};
const startedCallFields = {
  ...namedCallFields,
  /** The arguments as a JSON string. */
  tool_input: z.string(),
  tool_args: jsonObjectSchema,
  source: toolSourceSchema,
  toolset: z.string(),
  attempt: z.int().min(0),
};

const brokenOffFields = {
  ...turnFields,
  message: z.string(),
  /** The number of the turn's steps in the journal: a view with another number of committed steps has missed some. */
  steps: z.int().min(0).optional(),
};

export const toolCompleteSchema = z.object({
  type: z.literal('tool_complete'),
  ...endedCallFields,
  /** Plain text; `tool_output` is the same. */
  tool_result: z.string(),
  tool_output: z.string(),
  status: resultStatusSchema,
});

export const toolErrorSchema = z.object({
  type: z.literal('tool_error'),
  ...endedCallFields,
  error_type: z.string(),
  error_message: z.string(),
  error_details: z.union([jsonObjectSchema, z.string(), z.null()]).optional(),
});

export const toolEndSchema = z.discriminatedUnion('type', [toolCompleteSchema, toolErrorSchema]);

export const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn_queued'),
    ...turnFields,
    number: z.int().min(1),
    content: z.string(),
    client_message_id: z.string(),
    by: z.string(),
  }),
  z.object({ type: z.literal('turn_started'), ...turnFields, number: z.int().min(1) }),
  /** Precedes every token of its step and carries the ends of the step before. */
  z.object({ type: z.literal('step_started'), ...stepFields, settled: z.array(toolEndSchema) }),
  /** `offset` in UTF-16 units of the step's text; a surrogate pair is never split. */
  z.object({ type: z.literal('token'), ...stepFields, content: z.string(), offset: z.int().min(0) }),
  /** Reasoning text with its own offset; never part of the answer or the view. */
  z.object({ type: z.literal('thinking'), ...stepFields, content: z.string(), offset: z.int().min(0) }),
  z.object({ type: z.literal('step_restarted'), ...stepFields }),
  /** Final, regardless of its attempt. `text_length` is in UTF-16 units. */
  z.object({
    type: z.literal('step_committed'),
    ...stepFields,
    text_length: z.int().min(0),
    /** A summary's text, which is no part of the answer; empty when only old tool results were shortened. */
    summary: z.string().optional(),
    /** For a formatted answer: the earlier steps whose text it replaces. */
    replaces: z.array(z.int().min(1)).optional(),
    calls: z.array(callViewSchema),
  }),
  z.object({ type: z.literal('tool_queued'), ...startedCallFields }),
  z.object({ type: z.literal('tool_start'), ...startedCallFields }),
  z.object({
    type: z.literal('tool_progress'),
    ...callFields,
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().optional(),
    /**
     * Set when the tool's MCP server logged the message. `logger` is the server's own name for its logger, or else the
     * server's name.
     */
    log: z.object({ level: z.string(), logger: z.string() }).optional(),
  }),
  toolCompleteSchema,
  toolErrorSchema,
  z.object({
    type: z.literal('approval_required'),
    ...callFields,
    tool_name: z.string(),
    tool_args: jsonObjectSchema,
    /** Somebody else with one of these roles answers; absent: the user of the turn does. */
    approvers: rolesSchema.optional(),
    expires_at: timestampSchema,
  }),
  z.object({
    type: z.literal('approval_answered'),
    ...turnFields,
    tool_call_id: toolCallIdSchema,
    by: z.string(),
    decision: approvalDecisionSchema,
  }),
  z.object({
    type: z.literal('input_required'),
    ...callFields,
    /** 1 for the first question of the call. */
    number: z.int().min(1),
    message: z.string(),
    schema: jsonObjectSchema,
    /** In place of fields: the person gives access to an account, see `POST /api/connections/:id/start`. */
    connection: idSchema.optional(),
    /** How many calls may be the one that asks: its server does not say which. Absent: this one does. */
    among: z.int().min(2).optional(),
    expires_at: timestampSchema,
  }),
  /** `by` is `system` when no one answered in time or the answer is no longer needed (`cancel`). */
  z.object({
    type: z.literal('input_answered'),
    ...turnFields,
    tool_call_id: toolCallIdSchema,
    number: z.int().min(1),
    by: z.string(),
    action: inputActionSchema,
  }),
  z.object({ type: z.literal('waiting'), ...turnFields, reason: z.string(), retry_after_ms: z.int().min(0) }),
  /** `message_id` is the last step's id, `content` its text. */
  z.object({
    type: z.literal('complete'),
    ...turnFields,
    message_id: z.string(),
    content: z.string(),
    usage: usageSchema,
    /** The `provider/model` that wrote the last step. */
    model: z.string().optional(),
    /** Why the model stopped before its answer was complete; absent: it was, or nobody knows. */
    stop_reason: stopReasonSchema.exclude(['end_turn']).optional(),
  }),
  z.object({
    type: z.literal('cancelled'),
    ...brokenOffFields,
    /** The whole conversation was deleted, whichever turn this names. */
    deleted: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('error'), ...brokenOffFields, code: failureCodeSchema }),
]);

/** Sent to one viewer, never on the bus. */
export const snapshotSchema = z.object({
  type: z.literal('snapshot'),
  ...conversationFields,
  view: viewSchema,
});

export type ConversationEvent = z.infer<typeof eventSchema>;
export type EventOf<T extends ConversationEvent['type']> = Extract<ConversationEvent, { type: T }>;
export type ToolEnd = z.infer<typeof toolEndSchema>;
export type Snapshot = z.infer<typeof snapshotSchema>;
