/** The one tool of the sequential-thinking MCP server, whatever its server is called here (bus name). */
export function isThinkingTool(toolName: string): boolean {
  return toolName.endsWith('.sequentialthinking');
}
