import { z } from 'zod';
import {
  clientMessageIdSchema,
  idSchema,
  processIdSchema,
  roleSchema,
  timestampSchema,
  toolCallIdSchema,
} from './ids.js';
import { errorDetailSchema, jsonObjectSchema, resultStatusSchema, toolClassSchema } from './tool-messages.js';

/*
 * The rows of the store. Field names are the wire names. `_id` decides who wins an insert; a row is never
 * rewritten except for the fields marked as caches, which can be derived again.
 */

/** What happens to a message in a conversation whose turn has not ended. */
export const policySchema = z.enum(['enqueue', 'reject', 'interrupt']);

/** Which tools may be used: servers (`math`) or single tools (`math.add`); `block` wins, no `allow` allows all. */
export const toolChoiceSchema = z.object({
  allow: z.array(z.string().max(256)).max(500).optional(),
  block: z.array(z.string().max(256)).max(500).optional(),
});

export const conversationSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  title: z.string(),
  policy: policySchema,
  /** What its turns may use; absent: everything that the deployment offers. */
  tools: toolChoiceSchema.optional(),
  created_at: timestampSchema,
  /** Cache: the newest turn's time, for lists. */
  updated_at: timestampSchema,
  /** The mark: from here on the conversation exists for nobody, and its content is removed. */
  deleted_at: timestampSchema.optional(),
  /** Made for one request of another protocol: in no list, and removed then. */
  expires_at: timestampSchema.optional(),
  /** Cache, of a marked one and of one that expires: when the sweeper looks next (ms since epoch). */
  due_at: z.number().optional(),
});

export const turnStatusSchema = z.enum([
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
]);

/** Choices that bind one turn. Unknown fields are kept out, new ones are optional. */
export const turnOptionsSchema = z.object({
  /** `provider/model` as in `MODEL`; absent: the deployment's model. */
  model: z.string().max(200).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Tokens the model may write in one step. */
  max_output_tokens: z.int().min(1).max(200_000).optional(),
  tools: toolChoiceSchema.optional(),
  /** The turn is this one call (bus name), and no model is asked. */
  call: z.object({ tool_name: z.string().max(128), arguments: jsonObjectSchema }).optional(),
});

export const turnSchema = z.object({
  _id: idSchema,
  conversation_id: idSchema,
  /** 1, 2, … in its conversation, without holes. */
  number: z.int().min(1),
  user_id: z.string(),
  client_message_id: clientMessageIdSchema,
  content: z.string(),
  options: turnOptionsSchema,
  traceparent: z.string().optional(),
  at: timestampSchema,
  /** Cache of the derived status; an ended one is never wrong, the others may lag. */
  status: turnStatusSchema,
  /** Cache: when the sweeper looks next (ms since epoch); null when ended and every call has an outcome. */
  due_at: z.number().nullable(),
});

/** One piece of what the model said, in order. */
export const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Reasoning. Only signed (or redacted: `data`) thinking goes back to the model. */
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional(),
    data: z.string().optional(),
  }),
  /** `name` is the name the model used (`math__add`); the call itself stands in `calls`. */
  z.object({
    type: z.literal('tool_use'),
    tool_call_id: toolCallIdSchema,
    name: z.string(),
    arguments: jsonObjectSchema,
  }),
]);

export const toolSourceSchema = z.enum(['local', 'mcp']);

/** A call as its step committed it; nothing in it changes later. */
export const callSchema = z.object({
  tool_call_id: toolCallIdSchema,
  tool_name: z.string(),
  display_name: z.string(),
  source: toolSourceSchema,
  arguments: jsonObjectSchema,
  class: toolClassSchema,
  timeout_ms: z.int().min(1),
  approval: z.enum(['none', 'required']),
  /** When an approval that nobody gave expires; absent: 7 days after the step. */
  expires_at: timestampSchema.optional(),
  /** How long it may wait in its queue, on top of its timeout; absent: 60 s. */
  queueing_ms: z.int().min(0).optional(),
  /** Workers that may try it in all; absent: 3. */
  max_attempts: z.int().min(1).optional(),
  /** Set when the call must not be sent (unknown name, bad arguments, cut off): it is settled with this error. */
  refusal: errorDetailSchema.optional(),
});

export const usageSchema = z.object({
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  /** Part of `input_tokens` that the provider read from its cache. */
  cached_tokens: z.int().min(0),
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
  /** Only in `fail` rows. */
  error: z.object({ code: failureCodeSchema, message: z.string() }).optional(),
  at: timestampSchema,
});

/** Pictures that models and people are shown; everything else is named. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** A kept output as results and viewers name it; its content is read by its id. */
export const artifactReferenceSchema = z.object({
  id: idSchema,
  content_type: z.string(),
  /** Bytes. */
  size: z.int().min(0),
  name: z.string().optional(),
  /** The call's whole text output, of which its result shows head and tail. */
  whole: z.literal(true).optional(),
});

/** How a call ended; exactly one exists per call. */
export const outcomeSchema = z.object({
  _id: toolCallIdSchema,
  turn_id: idSchema,
  conversation_id: idSchema,
  n: z.int().min(1),
  status: resultStatusSchema,
  data: jsonObjectSchema.nullable(),
  error: errorDetailSchema.nullable(),
  explanation: z.string().nullable(),
  /** What it left beside its text; `data.artifacts` has their ids. */
  artifacts: z.array(artifactReferenceSchema).optional(),
  /** Attempt of the run claim that produced it; 0 if there never was one. */
  attempt: z.int().min(0),
  /** Process id of who ran (or settled) it. */
  worker: z.string(),
  duration_ms: z.int().min(0),
  at: timestampSchema,
});

/** The right to do a piece of work: `<turn or tool_call_id>:<attempt>`. */
export const claimSchema = z.object({
  _id: z.string(),
  turn_id: idSchema,
  conversation_id: idSchema,
  owner: processIdSchema,
  /** Attempt: 1, 2, … */
  n: z.int().min(1),
  purpose: z.enum(['run', 'settle']),
  /** With `purpose: settle`: the complete outcome that whoever sees the claim inserts. */
  decides: outcomeSchema.optional(),
  /** On a turn's first claim: the catalogue that the whole turn uses. */
  catalog_hash: z.string().optional(),
  at: timestampSchema,
});

/** `expired`: nobody answered in time. */
export const approvalDecisionSchema = z.enum(['approve', 'deny', 'expired']);

/** What became of a question: answered, refused by a person, or given up because nobody answered in time. */
export const inputActionSchema = z.enum(['accept', 'decline', 'cancel']);

/**
 * What a person was asked and answered: `<tool_call_id>:approval | :question | :input`. Of several questions of one
 * call the later ones end in their number: `:question:2`, `:input:2`.
 */
export const answerSchema = z.object({
  _id: z.string(),
  turn_id: idSchema,
  conversation_id: idSchema,
  decision: approvalDecisionSchema.optional(),
  question: z
    .object({ message: z.string(), schema: jsonObjectSchema, expires_at: timestampSchema })
    .optional(),
  /** Of an `:input`; absent: `accept`. */
  action: inputActionSchema.optional(),
  /** Only with `accept`. */
  content: jsonObjectSchema.optional(),
  by: z.string(),
  at: timestampSchema,
});

/** A tool as the model and people see it. */
export const toolDefinitionSchema = z.object({
  /** Bus name, `toolset.tool`. */
  name: z.string(),
  /** The name on its server (MCP) or its bare name (local). */
  own_name: z.string(),
  description: z.string(),
  input_schema: jsonObjectSchema,
  class: toolClassSchema,
  timeout_ms: z.int().min(1),
  /** Of everything above: two workers offer the same tool if their hashes agree. */
  hash: z.string(),
});

/** Who shares one process or session of a toolset: everybody, the calls of one user, the calls of one conversation. */
export const toolScopeSchema = z.enum(['shared', 'user', 'conversation']);

export const toolsetSchema = z.object({
  name: z.string(),
  source: toolSourceSchema,
  /** The MCP server's own name as configured, or the toolset's name. */
  server: z.string(),
  version: z.string(),
  /** Absent: `shared`. What a scoped toolset remembers stays in its worker, so only one may host it. */
  scope: toolScopeSchema.optional(),
  tools: z.array(toolDefinitionSchema),
});

/** A tool as offered to a turn: what the catalogue pins. */
export const catalogToolSchema = toolDefinitionSchema.extend({
  toolset: z.string(),
  source: toolSourceSchema,
  display_name: z.string(),
});
export const catalogSchema = z.object({ _id: z.string(), tools: z.array(catalogToolSchema) });

export const processSchema = z.object({
  _id: processIdSchema,
  role: roleSchema,
  host: z.string(),
  beat: z.int(),
});

/**
 * An output over the budget, or binary content. `_id` follows from conversation, type and content, so that the same
 * output is kept once. `content` is base64.
 */
export const artifactSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  conversation_id: idSchema,
  turn_id: idSchema,
  tool_call_id: z.string(),
  content_type: z.string(),
  size: z.int().min(0),
  /** SHA-256 of the content, in hex. */
  hash: z.string(),
  name: z.string().optional(),
  content: z.string(),
  at: timestampSchema,
});

/** What the broker gave up on, as it came. */
export const deadLetterSchema = z.object({
  _id: z.string(),
  /** Where it died. */
  queue: z.string(),
  reason: z.string(),
  message_id: z.string(),
  /** Its text; of more than 1 MiB only the beginning. */
  content: z.string(),
  /** Bytes of the whole message. */
  size: z.int().min(0).optional(),
  /** The turn that it was about, if that can be read. */
  turn_id: z.string().optional(),
  at: timestampSchema,
  /** When it was last put back into its queue, and by whom. */
  replayed_at: timestampSchema.optional(),
  replayed_by: z.string().optional(),
});

/** Something that a user asked to be remembered; `_id` is a hash of user and key, so a key is remembered once. */
export const factSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  key: z.string(),
  /** Last writer wins, as with `at`. */
  text: z.string(),
  at: timestampSchema,
});

export type Policy = z.infer<typeof policySchema>;
export type Conversation = z.infer<typeof conversationSchema>;
export type ToolChoice = z.infer<typeof toolChoiceSchema>;
export type TurnStatus = z.infer<typeof turnStatusSchema>;
export type TurnOptions = z.infer<typeof turnOptionsSchema>;
export type Turn = z.infer<typeof turnSchema>;
export type Block = z.infer<typeof blockSchema>;
export type ToolSource = z.infer<typeof toolSourceSchema>;
export type ToolScope = z.infer<typeof toolScopeSchema>;
export type Call = z.infer<typeof callSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type StopReason = z.infer<typeof stopReasonSchema>;
export type FailureCode = z.infer<typeof failureCodeSchema>;
export type Step = z.infer<typeof stepSchema>;
export type Outcome = z.infer<typeof outcomeSchema>;
export type Claim = z.infer<typeof claimSchema>;
export type Answer = z.infer<typeof answerSchema>;
export type InputAction = z.infer<typeof inputActionSchema>;
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
export type Toolset = z.infer<typeof toolsetSchema>;
export type CatalogTool = z.infer<typeof catalogToolSchema>;
export type Catalog = z.infer<typeof catalogSchema>;
export type ProcessRow = z.infer<typeof processSchema>;
export type ImageType = (typeof IMAGE_TYPES)[number];
export type ArtifactReference = z.infer<typeof artifactReferenceSchema>;
export type Artifact = z.infer<typeof artifactSchema>;
export type DeadLetter = z.infer<typeof deadLetterSchema>;
export type Fact = z.infer<typeof factSchema>;

/** Everything that decides what happens next in a turn. Steps by `n`, claims by `n` within their work. */
export interface Journal {
  turn: Turn;
  steps: Step[];
  claims: Claim[];
  outcomes: Outcome[];
  answers: Answer[];
}
