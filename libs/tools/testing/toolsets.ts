import type { ToolDefinition, Toolset } from '#contracts';
import { definitionHash } from '../canonical-hash.js';
import { toBusName, toToolsetName } from '../names.js';

/** A tool as a worker announces it. */
export function announcedTool(server: string, own_name: string, description = own_name): ToolDefinition {
  const name = toBusName(server, own_name);
  const definition = { name, own_name, description, input_schema: { type: 'object' }, timeout_ms: 1000 };
  const unhashed = { ...definition, class: 'read' as const };
  return { ...unhashed, hash: definitionHash(unhashed) };
}

export function announcedToolset(
  server: string,
  tools: ToolDefinition[],
  version = '1.0.0',
  source: 'local' | 'mcp' = 'local',
): Toolset {
  return { name: toToolsetName(server), source, server, version, tools };
}
