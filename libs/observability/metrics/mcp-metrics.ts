import type { MetricSubject } from './metric-subject.js';

/** The server labels are the configured servers. */
const byServer = { server: 'open' } as const;

export const mcpMetrics = (about: MetricSubject) => ({
  mcpServerUp: about.gauge({
    name: 'switchyard_mcp_server_up',
    help: 'Whether the tools of an MCP server are offered: 1 or 0.',
    labels: byServer,
  }),
  mcpConnections: about.gauge({
    name: 'switchyard_mcp_connections',
    help: 'Open processes or sessions of an MCP server.',
    labels: byServer,
  }),
  mcpConnects: about.counter({
    name: 'switchyard_mcp_connects_total',
    help: 'Attempts to connect to an MCP server.',
    labels: { server: 'open', outcome: ['ok', 'error'] },
    maxOpen: 40,
  }),
  mcpBreaker: about.gauge({
    name: 'switchyard_mcp_breaker',
    help: 'Circuit breaker of an MCP server: 0 closed, 1 half open, 2 open.',
    labels: byServer,
  }),
});
