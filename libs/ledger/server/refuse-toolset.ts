/** For a worker that offers, or asks for a call of, a toolset outside of its group. */
export function refuseToolset(toolset: string, group: string): string {
  return `The toolset ${toolset} is not in the group ${group}: take it out of TOOLSETS, TOOLS_DIR or MCP_CONFIG of this worker, or add it to the group in CONFIG of the orchestrators.`;
}
