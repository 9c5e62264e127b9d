import type { Tool as McpTool } from '@modelcontextprotocol/client';
import type { ToolClass } from '#contracts';
import type { ToolDescription } from '#tools';
import type { McpServer } from '../config/mcp-config.js';

const MAX_TOOLS = 512;
const MAX_DESCRIPTION_LENGTH = 4096;
const MAX_NAME_LENGTH = 256;
/** UTF-16 units of all definitions of one server: a worker's announcement must fit into one bus message. */
const MAX_TOTAL_LENGTH = 256 * 1024;
/** Checking each may take half a second: a hostile list must not block the worker. */
const MAX_REFUSED = 32;

export interface Listing {
  accepted: ToolDescription[];
  /** Tools that cannot be offered, with the reason. */
  refused: { name: string; reason: string }[];
  /** Tools that were not checked, because too many before them were refused. */
  unchecked: number;
  /** Offered tools whose output schema is left out: it cannot be used, or there is no room for it. */
  withoutOutput: string[];
}

type FindSchemaProblem = (schema: Record<string, unknown>) => string | undefined;

/**
 * The tools of a server, bounded: leaves out unusable schemas, duplicate names and everything over the limits. Output
 * schemas get what room the tools leave.
 */
export function describeTools(
  tools: readonly McpTool[],
  server: McpServer,
  findSchemaProblem: FindSchemaProblem,
): Listing {
  const listing: Listing = { accepted: [], refused: [], unchecked: 0, withoutOutput: [] };
  const names = new Set<string>();
  let totalLength = 0;
  for (const [index, tool] of tools.entries()) {
    if (listing.refused.length === MAX_REFUSED) {
      listing.unchecked = tools.length - index;
      break;
    }
    const description = describeTool(tool, server);
    const { own_name, input_schema } = description;
    const duplicate = names.has(own_name) ? 'Another tool of the server has this name.' : undefined;
    const tooLong = own_name.length > MAX_NAME_LENGTH ? 'The name is too long.' : undefined;
    const problem = duplicate ?? tooLong ?? findSchemaProblem(input_schema);
    const length = problem ? 0 : JSON.stringify(description).length;
    const isOver = listing.accepted.length >= MAX_TOOLS || totalLength + length > MAX_TOTAL_LENGTH;
    if (problem || isOver) {
      listing.refused.push({
        name: own_name,
        reason: problem ?? 'The server lists too many tools, or too large ones.',
      });
      continue;
    }
    names.add(own_name);
    totalLength += length;
    listing.accepted.push(description);
  }
  addOutputs(listing, tools, { findSchemaProblem, roomLeft: MAX_TOTAL_LENGTH - totalLength });
  return listing;
}

function addOutputs(
  { accepted, withoutOutput }: Listing,
  tools: readonly McpTool[],
  { findSchemaProblem, roomLeft }: { findSchemaProblem: FindSchemaProblem; roomLeft: number },
): void {
  // Of several tools with one name the first is offered.
  const outputs = new Map(tools.toReversed().map(({ name, outputSchema }) => [name, outputSchema]));
  for (const description of accepted) {
    const schema = outputs.get(description.own_name);
    if (!schema) continue;
    const length = JSON.stringify(schema).length;
    const isUsable = length <= roomLeft && withoutOutput.length < MAX_REFUSED && !findSchemaProblem(schema);
    if (!isUsable) {
      withoutOutput.push(description.own_name);
      continue;
    }
    roomLeft -= length;
    description.output_schema = schema;
  }
}

function describeTool(tool: McpTool, server: McpServer): ToolDescription {
  return {
    own_name: tool.name,
    description: (tool.description ?? tool.title ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
    input_schema: tool.inputSchema,
    class: server.class ?? (server.trusted ? annotatedClass(tool) : 'once'),
    timeout_ms: server.timeoutMs,
  };
}

function annotatedClass({ annotations }: McpTool): ToolClass {
  if (annotations?.readOnlyHint === true) return 'read';
  return annotations?.idempotentHint === true ? 'idempotent' : 'once';
}
