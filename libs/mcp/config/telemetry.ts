/** The part of pino that libs/mcp uses. */
export interface McpLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface ByServer {
  set(labels: { server: string }, value: number): void;
}

/** The metrics of libs/mcp. Server names come from the configuration, so their number is bounded. */
export interface McpMetrics {
  /** 1 while the server's tools are offered. */
  mcpServerUp: ByServer;
  /** Open processes or sessions. */
  mcpConnections: ByServer & {
    inc(labels: { server: string }): void;
    dec(labels: { server: string }): void;
  };
  mcpConnects: { inc(labels: { server: string; outcome: 'ok' | 'error' }): void };
  /** 0 closed, 1 half open, 2 open. */
  mcpBreaker: ByServer;
}

const nothing = { set: () => undefined, inc: () => undefined, dec: () => undefined };
export const NO_METRICS: McpMetrics = {
  mcpServerUp: nothing,
  mcpConnections: nothing,
  mcpConnects: nothing,
  mcpBreaker: nothing,
};
