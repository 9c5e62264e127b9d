import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { backOffMs, type Clock, type Random } from '#time';
import { toPrintable } from '#tools';
import { isAccessError } from '../access/server-access.js';
import type { McpServer } from '../config/mcp-config.js';
import type { McpTimings } from '../config/mcp-timings.js';
import { McpConnection, type ConnectionDeps } from './mcp-connection.js';
import { unavailable } from './mcp-errors.js';

/** The time between a failed attempt and the next one: grows with each failure in a row, up to a limit, with jitter. */
export class ConnectPause {
  private failures = 0;
  private nextAttemptAt = 0;
  private connectedAt: number | undefined;

  /** A connection that is lost before `goodAfterMs` does not end a row of failures. */
  constructor(
    private readonly timings: Pick<McpTimings, 'minPauseMs' | 'maxPauseMs'>,
    private readonly time: { clock: Pick<Clock, 'now'>; random: Random },
    private readonly goodAfterMs = 0,
  ) {}

  /** Until the next attempt; 0: now. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.nextAttemptAt - this.time.clock.now()));
  }

  connected(): void {
    this.connectedAt = this.time.clock.now();
    this.nextAttemptAt = 0;
  }

  failed(): void {
    const { minPauseMs: firstMs, maxPauseMs: longestMs } = this.timings;
    const now = this.time.clock.now();
    if (this.connectedAt !== undefined && now - this.connectedAt >= this.goodAfterMs) this.failures = 0;
    this.connectedAt = undefined;
    this.nextAttemptAt = now + backOffMs(this.failures++, { firstMs, longestMs }, this.time.random);
  }
}

export interface KeptConnectionSetup extends ConnectionDeps {
  config: McpServer;
  /** Connections that share a pause start the same program or use the same address. */
  pause: ConnectPause;
  /** What an earlier connection found out about the server's protocol version. */
  prior(): PriorDiscovery | undefined;
  /** Makes a new connection ready for use; when it fails, the attempt to connect has failed. */
  prepare?(connection: McpConnection): Promise<void>;
}

/** One connection to a server: opened on demand, shared by its users, and opened again when it was lost or dropped. */
export class KeptConnection {
  /** The connection that is being opened or in use. */
  private current: { connection: McpConnection; ready: Promise<McpConnection> } | undefined;
  private readonly ending = new Set<Promise<void>>();
  private isClosed = false;

  constructor(private readonly setup: KeptConnectionSetup) {}

  /** Rejects with `DependencyUnavailable` after a failed attempt, during the pause that follows it, and after `close`. */
  open(): Promise<McpConnection> {
    if (this.current) return this.current.ready;
    const { config, pause } = this.setup;
    if (this.isClosed) return Promise.reject(unavailable(config.name));
    if (pause.leftMs > 0) return Promise.reject(unavailable(config.name, pause.leftMs));
    const connection = new McpConnection(config, this.setup);
    void connection.lost.then(() => this.forget(connection));
    this.current = { connection, ready: this.connect(connection) };
    return this.current.ready;
  }

  has(connection: McpConnection): boolean {
    return this.current?.connection === connection;
  }

  /** Ends this connection without waiting for its end; the next `open` makes a new one. */
  drop(connection: McpConnection): void {
    this.forget(connection);
    const ended: Promise<void> = connection
      .close()
      .catch(() => undefined)
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  /** Ends the connection, if there is one. Resolves when every dropped connection and its process have ended. */
  async disconnect(): Promise<void> {
    if (this.current) this.drop(this.current.connection);
    await Promise.all(this.ending);
  }

  /** Disconnects for good. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.disconnect();
  }

  private async connect(connection: McpConnection): Promise<McpConnection> {
    const { config, logger, pause, prior, prepare, access } = this.setup;
    try {
      await connection.connect(prior());
      await prepare?.(connection);
      pause.connected();
      return connection;
    } catch (error) {
      this.drop(connection);
      // Where nobody's account is meant, what refuses access is the server.
      if (access && isAccessError(error)) throw error;
      if (!this.isClosed) {
        pause.failed();
        logger.warn({ server: config.name, reason: reasonOf(error) }, 'MCP server not connected');
      }
      throw unavailable(config.name, pause.leftMs);
    }
  }

  private forget(connection: McpConnection): void {
    if (this.has(connection)) this.current = undefined;
  }
}

/** `fetch failed` says nothing without the code of its cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: unknown; cause?: unknown };
  if (typeof message !== 'string') return 'unknown';
  const reason = toPrintable(message, 500);
  const code = codeOf(cause);
  return code === undefined || reason.includes(code) ? reason : `${reason} (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return code;
  return cause === undefined ? undefined : codeOf(cause);
}
