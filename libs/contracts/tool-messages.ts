import { z } from 'zod';
import { controlKeySchema, idSchema, timestampSchema, toolCallIdSchema } from './ids.js';
import { writtenTextSchema } from './records/written-text.js';

/*
 * ToolCall, ToolResult and ErrorDetail, protocol 1.0.0: the messages between agents and tools. There are no defaults: a
 * missing `status` is invalid, not `success`.
 */

/** `toolset.tool`, the bus name of a tool. `(?![\s\S])` because some engines let `$` match before a final newline. */
export const toolNameSchema = z
  .string()
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+(?![\s\S])/);

/** A JSON object; arrays and null are not one. */
export const jsonObjectSchema = z.record(z.string(), z.unknown());

/** How safe it is to start a tool again: see docs/architecture.md, "Claim and settle". */
export const toolClassSchema = z.enum(['read', 'idempotent', 'keyed', 'once']);

/** One request to run one tool, without the envelope's fields. No other keys allowed. */
export const toolCallSchema = z.strictObject({ tool_name: toolNameSchema, arguments: jsonObjectSchema });

/** Error types that Switchyard sends; any other is stored as `ToolExecutionError` with `original_type`. */
export const ERROR_TYPES = [
  'ValidationError',
  'FileNotFoundError',
  'ResourceNotFound',
  'AuthenticationError',
  'PermissionError',
  'TimeoutError',
  'ApiLimitExceeded',
  'ToolExecutionError',
  'ToolNotFound',
  'DependencyUnavailable',
  'Cancelled',
  'OutcomeUnknown',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** Why a call failed. Unknown keys are dropped. Messages carry no stack trace and no secret. */
export const errorDetailSchema = z.object({
  error_type: z.string().min(1),
  error_message: z.string().min(1),
  error_details: z.union([jsonObjectSchema, z.string(), z.null()]).optional(),
});

export const resultStatusSchema = z.enum(['success', 'failure', 'no_change_needed', 'partial_success']);

const data = jsonObjectSchema.nullable().optional();
/** What a result of any status may have. Rows and messages spread these fields, so a new one is added here only. */
const otherFields = { explanation: writtenTextSchema.nullable() };
/** Absent in most results, and in rows and messages of earlier versions. */
const rareFields = {
  /** How `data` breaks the tool's output schema, as its worker found it; one sentence without its full stop. */
  output_problem: writtenTextSchema.optional(),
};
const others = { ...z.object(otherFields).partial().shape, ...rareFields };
/** `failure` has an error and no data; only `partial_success` may have both. */
const failed = {
  status: z.literal('failure'),
  data: z.null().optional(),
  error: errorDetailSchema,
  ...others,
};
const partial = {
  status: z.literal('partial_success'),
  data,
  error: errorDetailSchema.nullable().optional(),
  ...others,
};
const fine = {
  status: z.enum(['success', 'no_change_needed']),
  data,
  error: z.null().optional(),
  ...others,
};

/** How a tool call ended, as its tool says it. Unknown keys are dropped; null means absent. */
export const toolResultSchema: z.ZodType<ToolResult> = z.discriminatedUnion('status', [
  z.object(failed),
  z.object(partial),
  z.object(fine),
]);

/** The fields of a result that is complete: each is present, and null if there is nothing to tell. */
export const completeResultFields = {
  status: resultStatusSchema,
  data: jsonObjectSchema.nullable(),
  error: errorDetailSchema.nullable(),
  ...otherFields,
  ...rareFields,
};

/** Keys of a later minor version are dropped. */
export const toolCallBodySchema = z
  .object({
    tool_call_id: toolCallIdSchema,
    turn_id: idSchema,
    conversation_id: idSchema,
    n: z.int().min(1).describe('The step of the turn whose row contains the call.'),
    user_id: z.string().min(1),
    tool_name: toolNameSchema.describe('`toolset.tool`.'),
    arguments: jsonObjectSchema,
    class: toolClassSchema.describe('Whether the call may be started again when its worker is lost.'),
    timeout_ms: z.int().min(1).describe('Milliseconds from the start of the run, or from its last progress.'),
    deadline: timestampSchema.describe('The last moment to start and finish.'),
    max_attempts: z.int().min(1).optional().describe('How many workers may try the call in all; absent: 3.'),
    tool_version: z
      .string()
      .max(64)
      .optional()
      .describe('The tool’s version for which the call was made; absent: any.'),
    logs: z
      .literal(true)
      .optional()
      .describe('Viewers see the messages that its MCP server logs, unless the operator forbids it.'),
    reply_to: controlKeySchema.describe('Control key of the orchestrator that dispatched the call.'),
    token: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe(
        'Proves to the ledger that the call was sent to its worker’s group; absent where no group has the toolset.',
      ),
  })
  .describe('One request to run one tool.');

const hintFields = {
  tool_call_id: toolCallIdSchema,
  turn_id: idSchema,
  duration_ms: z.int().min(0),
  worker: z.string(),
};

/** Body of `tool.result`: a hint. The `outcomes` row is the result. */
export const toolResultBodySchema: z.ZodType<ToolResultBody> = z.discriminatedUnion('status', [
  z.object({ ...failed, ...hintFields }),
  z.object({ ...partial, ...hintFields }),
  z.object({ ...fine, ...hintFields }),
]);

export type ToolClass = z.infer<typeof toolClassSchema>;
export type ErrorDetail = z.infer<typeof errorDetailSchema>;
export type ResultStatus = z.infer<typeof resultStatusSchema>;
/** Code that creates one must keep the rule of `toolResultSchema`. */
export interface ToolResult extends Partial<z.infer<z.ZodObject<typeof otherFields & typeof rareFields>>> {
  status: ResultStatus;
  data?: Record<string, unknown> | null;
  error?: ErrorDetail | null;
}
export type CompleteResult = z.infer<z.ZodObject<typeof completeResultFields>>;
export type ToolCallBody = z.infer<typeof toolCallBodySchema>;
export interface ToolResultBody extends ToolResult {
  tool_call_id: string;
  turn_id: string;
  duration_ms: number;
  worker: string;
}

/** The result's fields alone, of a result or of a row that contains one. */
export function completeResult(result: ToolResult): CompleteResult {
  const { output_problem } = result;
  const names = ['status', 'data', 'error', ...Object.keys(otherFields)] as (keyof CompleteResult)[];
  const complete = Object.fromEntries(names.map((name) => [name, result[name] ?? null])) as CompleteResult;
  return output_problem === undefined ? complete : { ...complete, output_problem };
}
