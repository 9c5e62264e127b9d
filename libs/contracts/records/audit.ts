import { z } from 'zod';
import { idSchema, timestampSchema, toolCallIdSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** `invoked`: a worker had started the call. `late`: another outcome already stood, so this one was dropped. */
const CALL_EVENTS = ['invoked', 'refused', 'cancelled', 'late'] as const;
/** What a person did. */
const ACTIONS = [
  'switch_set',
  'switch_unset',
  'dead_letter_replayed',
  'dead_letter_discarded',
  'turn_replayed',
  'approval_shown',
  'approval_given',
  'account_changed',
  'connection_given',
  'connection_removed',
  'invitation_created',
  'invitation_withdrawn',
] as const;
export const auditEventSchema = z.enum([...CALL_EVENTS, ...ACTIONS]);

/**
 * How a call ended, or what a person did, for auditors: no arguments, no results, no texts. It outlives its
 * conversation. Each kind of event has some of the optional fields.
 */
export const auditRecordSchema = z.object({
  /** `<at>-<uuid>`: ids sort by time. */
  _id: z.string(),
  at: timestampSchema,
  audit: auditEventSchema,
  /** The user whose turn it is, or the person who did it. */
  user_id: z.string(),
  /** What a person acted on: `toolset:web`, the id of a dead letter, an account or an invitation. */
  subject: z.string().max(200).optional(),
  conversation_id: idSchema.optional(),
  turn_id: idSchema.optional(),
  tool_call_id: toolCallIdSchema.optional(),
  /** `math.add`; `unknown`: the model named a tool that does not exist. */
  tool: z.string().optional(),
  /** The toolset's version, where it is known. */
  version: writtenTextSchema.optional(),
  attempt: z.int().min(0).optional(),
  /** The process that ran or settled the call. */
  worker: z.string().optional(),
  /** Of a call, or how somebody else answered its approval; of a replayed dead letter, what the broker said of its copy; of an account, what it now is. */
  status: z.string().optional(),
  /** Of a fixed set. */
  error_type: z.string().optional(),
  /** Its result broke the output schema of its tool. */
  breaks_output_schema: z.literal(true).optional(),
  duration_ms: z.int().min(0).optional(),
  arguments_sha256: z.string().optional(),
});

export type AuditRecord = z.infer<typeof auditRecordSchema>;
export type CallEvent = (typeof CALL_EVENTS)[number];
export type AuditedAction = (typeof ACTIONS)[number];
