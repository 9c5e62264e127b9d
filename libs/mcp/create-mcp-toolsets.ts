import type { Connections } from '#connections';
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
  /** For servers that act for a person; absent: such a server is a configuration error. */
  connections?: Connections;
}

/** One toolset for each server; none connects before `start`. */
export function createMcpToolsets(
  servers: readonly McpServer[],
  logger: McpLogger,
  { reservedNames = [], timings, metrics, connections, clock, random }: McpToolsetsOptions,
): ToolsetHost[] {
  const schemas = new InputSchemas();
  const reserved = new Set(reservedNames);
  return servers.map((server) => {
    if (reserved.has(toToolsetName(server.name))) {
      throw new McpConfigError(
        `The MCP server ${server.name} has the same name as a local toolset: rename it.`,
      );
    }
    if ('oauth' in server && server.oauth && !connections) {
      throw new McpConfigError(
        `The MCP server ${server.name} acts for a person ("oauth"): that needs TOKEN_KEYS, PUBLIC_URL and the store (MONGODB_URL, or standalone).`,
      );
    }
    return new McpToolset(server, { schemas, logger, timings, metrics, connections, clock, random });
  });
}
