import { z } from 'zod';
import { clientMessageIdSchema, idSchema, toolCallIdSchema } from './ids.js';
import { inputActionSchema, turnOptionsSchema } from './records.js';
import { jsonObjectSchema } from './tool-messages.js';

/*
 * Client → server requests over Socket.IO; the event name is the key. Each is acknowledged with its answer or with `{
 * error }`. Unknown fields are ignored.
 */

/** Characters (UTF-16 units) of one message. */
export const MAX_CONTENT_LENGTH = 65_536;

export const errorCodeSchema = z.enum([
  'invalid',
  'content_too_long',
  'not_found',
  'busy',
  'overloaded',
  /** The user's budget for today is used up; `retry_after_ms` is the time until it is renewed. */
  'budget_exceeded',
  'unavailable',
  'unauthorized',
  'already_answered',
  'internal',
]);

export const clientRequestSchemas = {
  message: z.object({
    /** Absent: a new conversation. */
    conversation_id: idSchema.optional(),
    content: z.string().refine((text) => text.trim() !== '', { error: 'must not be blank' }),
    client_message_id: clientMessageIdSchema.optional(),
    options: turnOptionsSchema
      .omit({ answer: true })
      .refine(({ call, formatter }) => !call || !formatter, {
        error: 'asks a model for its answer, but call asks no model; send only one of them',
        path: ['formatter'],
      })
      .optional(),
  }),
  join: z.object({ conversation_id: idSchema }),
  leave: z.object({ conversation_id: idSchema }),
  stop: z.object({ turn_id: idSchema }),
  tool_approval: z.object({
    turn_id: idSchema,
    tool_call_id: toolCallIdSchema,
    decision: z.enum(['approve', 'deny']),
  }),
  input: z.object({
    turn_id: idSchema,
    tool_call_id: toolCallIdSchema,
    /** Required unless the question is declined. */
    content: jsonObjectSchema.optional(),
    /** Absent: `accept`. */
    action: inputActionSchema.exclude(['cancel']).optional(),
    /** The call's question that this answers; absent: the open one. */
    number: z.int().min(1).optional(),
  }),
  ping: z.unknown(),
} as const;

export const clientAnswerSchemas = {
  message: z.object({ conversation_id: idSchema, turn_id: idSchema }),
  join: z.object({}),
  leave: z.object({}),
  stop: z.object({ may_be_running: z.array(toolCallIdSchema) }),
  tool_approval: z.object({}),
  input: z.object({}),
  ping: z.object({}),
} as const;

export const clientErrorSchema = z.object({
  error: z.object({ code: errorCodeSchema, message: z.string(), retry_after_ms: z.int().min(0).optional() }),
});

export type ErrorCode = z.infer<typeof errorCodeSchema>;
export type ClientError = z.infer<typeof clientErrorSchema>;
export type ClientRequestName = keyof typeof clientRequestSchemas;
export type ClientRequest<N extends ClientRequestName> = z.infer<(typeof clientRequestSchemas)[N]>;
export type ClientAnswer<N extends ClientRequestName> = z.infer<(typeof clientAnswerSchemas)[N]>;
