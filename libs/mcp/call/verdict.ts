import { z } from 'zod';
import { errorDetailSchema, resultStatusSchema, type ToolResult } from '#contracts';

/** In `_meta`, what MCP itself has no words for: the status of a result, its explanation, the type of its error. */
const VERDICT_KEY = 'switchyard/result';
const verdictSchema = z.object({
  status: resultStatusSchema.exclude(['failure']).optional(),
  explanation: z.string().optional(),
  error: errorDetailSchema.optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** What does not fit is as if it were not there: the call has had its effect. */
export function readVerdict(meta: Record<string, unknown> | undefined): Verdict {
  return verdictSchema.safeParse(meta?.[VERDICT_KEY]).data ?? {};
}

export function withStatus(
  result: ToolResult,
  { status = 'success', explanation, error }: Verdict,
): ToolResult {
  if (result.status !== 'success') return result;
  const { data } = result;
  const told = explanation === undefined ? {} : { explanation };
  return status === 'partial_success'
    ? { status, data, ...told, ...(error && { error }) }
    : { status, data, ...told };
}

/** The text of the server stays the message unless it gives one. */
export function withError(result: ToolResult, { error, explanation }: Verdict): ToolResult {
  return { ...result, ...(error && { error }), ...(explanation !== undefined && { explanation }) };
}
