import type { ToolResult } from './tool-messages.js';

/** A result as text, for the model and for people (tool-messages §2). */
export function plainText(result: ToolResult): string {
  const { status, data, error, explanation } = result;
  if (status === 'failure')
    return error ? `${error.error_type}: ${error.error_message}` : 'ToolExecutionError: no reason given';
  const text = data ? textOfData(data) : (explanation ?? '');
  if (status !== 'partial_success') return text;
  const rest = [data ? explanation : null, error ? `${error.error_type}: ${error.error_message}` : null];
  return [text, ...rest].filter((part) => part).join('\n');
}

/** What people and the model are told of a result that breaks its tool's output schema; undefined if it does not. */
export function outputNote({ output_problem }: Pick<ToolResult, 'output_problem'>): string | undefined {
  if (output_problem == null) return undefined;
  return `The result breaks the output schema of its tool: ${output_problem}.`;
}

function textOfData(data: Record<string, unknown>): string {
  if (typeof data.text === 'string') return data.text;
  const keys = Object.keys(data);
  if (keys.length === 1 && keys[0] === 'value') {
    const { value } = data;
    if (typeof value === 'string') return value;
    return value === null ? '' : JSON.stringify(value);
  }
  return JSON.stringify(data);
}
