export { loadMcpConfig, parseMcpConfig } from './mcp-config.js';
export { createMcpToolsets } from './create-mcp-toolsets.js';
export type { McpLogger } from './mcp-logger.js';
export type { McpMetrics } from './mcp-metrics.js';
