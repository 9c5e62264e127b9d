import type { CallView } from '#contracts';

/** A tool as a row names it: `toolset` in grey, `tool` in black. */
export interface ToolName {
  toolset?: string;
  tool: string;
}

/**
 * The names that an MCP server uses itself, from `mcp:<server>:<tool>`; unusual names carry a hash on the bus. A
 * display name without a toolset (`add`) is ambiguous next to others, so a local tool is shown by its bus name.
 */
export function toolNameOf({
  tool_name,
  display_name,
}: Pick<CallView, 'tool_name' | 'display_name'>): ToolName {
  const [, server, own] = /^mcp:([^:]+):(.+)$/su.exec(display_name) ?? [];
  if (server !== undefined && own !== undefined) return { toolset: server, tool: own };
  const dot = tool_name.indexOf('.');
  if (dot < 0) return { tool: tool_name };
  return { toolset: tool_name.slice(0, dot), tool: tool_name.slice(dot + 1) };
}

export function wholeToolName(call: Pick<CallView, 'tool_name' | 'display_name'>): string {
  const { toolset, tool } = toolNameOf(call);
  return toolset === undefined ? tool : `${toolset}.${tool}`;
}
