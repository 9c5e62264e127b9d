import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { untilAborted, type Timer } from '#time';
import { Slots, toPrintable, type Slot } from '#tools';
import type { ConnectPause } from './kept-connection.js';
import type { McpServer } from '../config/mcp-config.js';
import { McpConnection, type ConnectionDeps } from './mcp-connection.js';
import { isConnectionError, unavailable } from './mcp-errors.js';

export interface InstanceSetup extends ConnectionDeps {
  config: McpServer;
  /** Of all instances of the server: they start the same program or ask the same address. */
  pause: ConnectPause;
  /** What is known about the server's age. */
  prior(): PriorDiscovery | undefined;
  onToolsChanged(): void;
}

/**
 * One process or session that is started by the first call that needs it and made again by the next call after it
 * broke. Ends when nobody has used it for a while.
 */
export class McpInstance {
  private users = 0;
  private idleTimer: Timer | undefined;
  private isClosed = false;
  /** The one being made or in use. */
  private current: { connection: McpConnection; ready: Promise<McpConnection> } | undefined;
  private readonly slots: Slots;

  constructor(
    private readonly setup: InstanceSetup,
    private readonly onIdle: () => void,
  ) {
    this.slots = new Slots(setup.config.concurrency);
  }

  get isBusy(): boolean {
    return this.users > 0;
  }

  /** Throws `DependencyUnavailable` when there is no connection and none can be made now. */
  async use<T>(signal: AbortSignal, work: (connection: McpConnection, slot: Slot) => Promise<T>): Promise<T> {
    this.users++;
    this.idleTimer?.cancel();
    try {
      return await this.slots.use(
        (slot) => this.withConnection(signal, (connection) => work(connection, slot)),
        signal,
      );
    } finally {
      this.users--;
      if (this.users === 0 && !this.isClosed) {
        const { clock, config } = this.setup;
        this.idleTimer = clock.after(config.idleMs, this.onIdle, { unref: true });
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.idleTimer?.cancel();
    await this.current?.connection.close().catch(() => undefined);
  }

  private async withConnection<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>) {
    const connection = await untilAborted(this.connect(), signal);
    try {
      return await work(connection);
    } catch (error) {
      // A child process ends visibly; an HTTP server cannot tell that it has forgotten the session.
      if ('url' in this.setup.config && isConnectionError(error)) this.drop(connection);
      throw error;
    }
  }

  private connect(): Promise<McpConnection> {
    if (this.current) return this.current.ready;
    const { config, pause } = this.setup;
    if (this.isClosed) return Promise.reject(unavailable(config.name));
    if (pause.leftMs > 0) return Promise.reject(unavailable(config.name, pause.leftMs));
    const connection = new McpConnection(config, this.setup);
    connection.onToolsChanged = () => this.setup.onToolsChanged();
    void connection.lost.then(() => this.forget(connection));
    this.current = { connection, ready: this.open(connection) };
    return this.current.ready;
  }

  private async open(connection: McpConnection): Promise<McpConnection> {
    const { config, logger, pause, prior } = this.setup;
    try {
      await connection.connect(prior());
      pause.succeeded();
      return connection;
    } catch (error) {
      this.drop(connection);
      if (!this.isClosed) {
        pause.failed();
        const reason = error instanceof Error ? toPrintable(error.message, 500) : 'unknown';
        logger.warn({ server: config.name, reason }, 'MCP server not connected');
      }
      throw unavailable(config.name, pause.leftMs);
    }
  }

  private drop(connection: McpConnection): void {
    this.forget(connection);
    void connection.close().catch(() => undefined);
  }

  private forget(connection: McpConnection): void {
    if (this.current?.connection === connection) this.current = undefined;
  }
}
