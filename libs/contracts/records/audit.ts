import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** `invoked`: a worker had started the call. `late`: another outcome already stood, so this one was dropped. */
export const auditEventSchema = z.enum(['invoked', 'refused', 'cancelled', 'late']);

/** How a call ended, for auditors: no arguments, no results, no texts. It outlives its conversation. */
export const auditRecordSchema = z.object({
  /** `<at>-<uuid>`: ids sort by time. */
  _id: z.string(),
  at: timestampSchema,
  audit: auditEventSchema,
  user_id: z.string(),
  conversation_id: idSchema,
  turn_id: idSchema,
  tool_call_id: toolCallIdSchema,
  /** `math.add`; `unknown`: the model named a tool that does not exist. */
  tool: z.string(),
  /** The toolset's version, where it is known. */
  version: writtenTextSchema.optional(),
  attempt: z.int().min(0),
  /** The process that ran or settled the call. */
  worker: z.string(),
  status: z.string(),
  /** Of a fixed set. */
  error_type: z.string().optional(),
  duration_ms: z.int().min(0),
  arguments_sha256: z.string(),
});

export type AuditEvent = z.infer<typeof auditEventSchema>;
export type AuditRecord = z.infer<typeof auditRecordSchema>;
