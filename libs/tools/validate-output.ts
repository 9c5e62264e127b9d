import type { ErrorDetail, ToolResult, ToolSource } from '#contracts';
import { toPrintable } from './printable.js';
import type { SchemaChecks } from './schema-checks.js';
import { ALL_ARGUMENTS, NOT_AN_ARGUMENT } from './validation-detail.js';

/** `unchecked`: it takes too long, or the schema cannot be used; nobody can say whether it fits. */
export type OutputVerdict = 'fits' | 'unchecked' | { problem: string };

const MAX_PROBLEM = 500;

interface CheckedTool {
  source: ToolSource;
  output_schema?: Record<string, unknown>;
}

/**
 * Whether a result keeps what its tool's output schema promises, before anything is cut from it. Never rejects. A
 * failure promises nothing; nor does a result without data that says that there was nothing to do.
 */
export async function checkOutput(
  checks: SchemaChecks,
  { source, output_schema }: CheckedTool,
  { status, data }: ToolResult,
  userId: string,
): Promise<OutputVerdict> {
  if (!output_schema || status === 'failure') return 'fits';
  if (!data) return status === 'success' ? { problem: 'the result is empty' } : 'fits';
  const output = source === 'mcp' ? data.structured : data;
  // https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
  if (output === undefined)
    return status === 'success' ? { problem: 'the structured content is missing' } : 'fits';
  const checked = await checks.check(output_schema, output as Record<string, unknown>, userId);
  if (typeof checked !== 'object' || 'unusable' in checked) return 'unchecked';
  return checked.error === undefined ? 'fits' : { problem: describe(checked.error) };
}

/** The error is worded for arguments. */
function describe({ error_message, error_details }: ErrorDetail): string {
  const { parameter, constraint } = error_details as { parameter?: unknown; constraint?: unknown };
  if (typeof parameter !== 'string' || typeof constraint !== 'string') return error_message;
  const place = parameter === ALL_ARGUMENTS ? 'the result' : parameter;
  // Names of fields are the tool's.
  return toPrintable(
    `${place} ${constraint === NOT_AN_ARGUMENT ? 'is not in the schema' : constraint}`,
    MAX_PROBLEM,
  );
}
