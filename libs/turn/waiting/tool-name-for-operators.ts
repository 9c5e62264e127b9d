import type { Call } from '#contracts';

/** What records and operators read where a model asked for a tool that does not exist: the name is the model's words. */
export const UNKNOWN_TOOL = 'unknown';

/** Whether the model asked for a tool that does not exist. */
export function namesNoTool({ refusal }: Pick<Call, 'refusal'>): boolean {
  return refusal?.error_type === 'ToolNotFound';
}

/** The bus name of a call's tool. */
export function toolNameForOperators(call: Pick<Call, 'tool_name' | 'refusal'>): string {
  return namesNoTool(call) ? UNKNOWN_TOOL : call.tool_name;
}
