import type { Time } from '#time';
import { InputSchemas, toToolsetName, type ToolsetHost } from '#tools';
import { McpConfigError, type McpServer } from './config/mcp-config.js';
import type { McpLogger } from './config/telemetry.js';
import type { McpMetrics } from './config/telemetry.js';
import type { McpTimings } from './config/mcp-timings.js';
import { McpToolset } from './mcp-toolset.js';

export interface McpToolsetsOptions extends Time {
  /** Names of toolsets that already exist: a server with such a name is a configuration error. */
  reservedNames?: Iterable<string>;
  timings?: Partial<McpTimings>;
  metrics?: McpMetrics;
}

/** One toolset for each server; none connects before `start`. */
export function createMcpToolsets(
  servers: readonly McpServer[],
  logger: McpLogger,
  { reservedNames = [], timings, metrics, clock, random }: McpToolsetsOptions,
): ToolsetHost[] {
  const schemas = new InputSchemas();
  const reserved = new Set(reservedNames);
  return servers.map((server) => {
    if (reserved.has(toToolsetName(server.name))) {
      throw new McpConfigError(
        `The MCP server ${server.name} has the same name as a local toolset: rename it.`,
      );
    }
    return new McpToolset(server, { schemas, logger, timings, metrics, clock, random });
  });
}
