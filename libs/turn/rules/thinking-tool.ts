/** True for the one tool of the sequential-thinking MCP server (bus name), whatever the server's configured name is. */
export function isThinkingTool(toolName: string): boolean {
  return toolName.endsWith('.sequentialthinking');
}
