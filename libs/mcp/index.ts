export { loadMcpConfig, McpConfigError, type McpServer, parseMcpConfig } from './config/mcp-config.js';
export { createMcpToolsets } from './create-mcp-toolsets.js';
export { asListed } from './listing/create-listing.js';
export type { McpLogger } from './config/telemetry.js';
export type { McpMetrics } from './config/telemetry.js';
