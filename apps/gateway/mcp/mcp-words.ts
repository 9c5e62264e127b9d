import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { plainText, type CatalogTool, type ErrorType, type Outcome } from '#contracts';
import { toModelName } from '#tools';

/** A tool of the fleet as MCP lists it. Its name is the one that models are given: 64 characters that all take. */
export function toMcpTool(tool: CatalogTool): Tool {
  return {
    name: toModelName(tool.name),
    title: tool.display_name,
    description: tool.description,
    inputSchema: { ...tool.input_schema, type: 'object' },
    annotations: annotationsOf(tool),
  };
}

/** What a tool's class says: `once` may do anything. */
function annotationsOf({ class: toolClass }: CatalogTool): Tool['annotations'] {
  return { readOnlyHint: toolClass === 'read', idempotentHint: toolClass !== 'once' };
}

/** An outcome as MCP says it: plain text, the structure if there is one, `isError` for a failure. */
export function toCallToolResult(outcome: Outcome): CallToolResult {
  const structured = outcome.data?.structured;
  return {
    content: [{ type: 'text', text: plainText(outcome) }],
    ...(isObject(structured) ? { structuredContent: structured } : {}),
    isError: outcome.status === 'failure',
  };
}

/** A call that never was one. */
export function refusedCall(type: ErrorType, message: string): CallToolResult {
  return { content: [{ type: 'text', text: `${type}: ${message}` }], isError: true };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
