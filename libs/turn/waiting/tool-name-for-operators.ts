import type { Call } from '#contracts';

/** What records and operators read where a model asked for a tool that does not exist: the name is the model's words. */
export const UNKNOWN_TOOL = 'unknown';

/** The bus name of a call's tool. */
export function toolNameForOperators({ tool_name, refusal }: Pick<Call, 'tool_name' | 'refusal'>): string {
  return refusal?.error_type === 'ToolNotFound' ? UNKNOWN_TOOL : tool_name;
}
