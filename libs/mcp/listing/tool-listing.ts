import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { settledWithin, type Clock, type Random, type Timer } from '#time';
import type { McpServer } from '../config/mcp-config.js';
import type { McpTimings } from '../config/mcp-timings.js';
import type { McpLogger, McpMetrics } from '../config/telemetry.js';
import { ConnectPause, KeptConnection, reasonOf } from '../connection/kept-connection.js';
import type { ListedTools, McpConnection } from '../connection/mcp-connection.js';

/** A connection that is lost earlier counts as a failed attempt: the pause before the next one grows. */
const GOOD_CONNECTION_MS = 10_000;
/** Between two checks after transport errors, so that a failing check does not cause the next one. */
const MIN_CHECK_PAUSE_MS = 1000;
/** After this long without a change, the next change is listed at once. */
const QUIET_MS = 60_000;
/** A list that stays valid for longer than a day is read once a day. */
const MAX_TTL_MS = 24 * 3_600_000;

export interface ListingSetup {
  config: McpServer;
  logger: McpLogger;
  metrics: McpMetrics;
  clock: Clock;
  random: Random;
  timings: McpTimings;
  onListed(listed: ListedTools['tools'], version: string | undefined): void;
  /** The tools cannot be called now. */
  onLost(): void;
}

/** Where the tools of a server come from. */
export interface Listing {
  /** What is known about the server's protocol version. */
  readonly prior: PriorDiscovery | undefined;
  /** A lasting connection that can take calls. */
  readonly connection: McpConnection | undefined;
  /** Until the next attempt to connect. */
  readonly retryAfterMs: number;
  /** Resolves when the first attempt has ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The server reports changed tools. */
  changed(): void;
  relist(): void;
}

/**
 * Keeps the list of a server's tools up to date, with one loop until `stop`: over a lasting connection, which shared calls
 * use, too (`start: eager`), or over one connection for each listing (`start: demand`).
 */
export class ToolListing implements Listing {
  /** What the last connection found out about the server's protocol version; unknown after a failed attempt. */
  prior: PriorDiscovery | undefined;
  private readonly kept: KeptConnection;
  private readonly pause: ConnectPause;
  private listedConnection: McpConnection | undefined;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  /** At most one list request at a time; a change meanwhile causes one more. */
  private listing: Promise<void> | undefined;
  private isStale = false;
  private lastListedAt = -Infinity;
  private ttlTimer: Timer | undefined;
  private changeTimer: Timer | undefined;
  private changePauseMs = 0;
  private lastChangeAt = -Infinity;
  private wake: () => void = () => undefined;

  constructor(private readonly setup: ListingSetup) {
    const { config, logger, metrics, clock, timings } = setup;
    this.pause = new ConnectPause(timings, setup, this.isOnDemand ? 0 : GOOD_CONNECTION_MS);
    this.kept = new KeptConnection({
      ...{ config, logger, metrics, clock, pause: this.pause },
      prior: () => this.prior,
      prepare: (connection) => this.prepare(connection),
      onToolsChanged: () => this.changed(),
      onTrouble: () => this.check(),
    });
  }

  /** The lasting connection, while it can take calls. */
  get connection(): McpConnection | undefined {
    return this.listedConnection;
  }

  /** Until the next attempt to connect. */
  get retryAfterMs(): number {
    return this.pause.leftMs;
  }

  /** Resolves when the first attempt has ended, after `firstTryMs` at the latest. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { clock, timings } = this.setup;
    const tried = new Promise<void>((resolve) => {
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      this.running ??= this.keepListed(resolve);
    });
    await settledWithin(clock, tried, timings.firstTryMs);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    this.ttlTimer?.cancel();
    this.changeTimer?.cancel();
    await this.kept.close();
    await this.running;
  }

  /** Called when the server reports changed tools. The more often it does, the longer the pauses between listings. */
  changed(): void {
    if (this.changeTimer || this.stopping.signal.aborted) return;
    const { clock, timings } = this.setup;
    const { minRelistMs, maxPauseMs } = timings;
    const sinceLastMs = clock.now() - this.lastChangeAt;
    if (sinceLastMs > QUIET_MS) this.changePauseMs = 0;
    const relist = () => {
      this.changeTimer = undefined;
      this.lastChangeAt = clock.now();
      this.changePauseMs = Math.min(maxPauseMs, Math.max(minRelistMs, this.changePauseMs * 2));
      this.relist();
    };
    this.changeTimer = clock.after(Math.max(0, this.changePauseMs - sinceLastMs), relist, { unref: true });
  }

  /** Called after a transport error: lists, to see whether an HTTP server is still there. A child process ends visibly. */
  check(): void {
    const isDue = this.setup.clock.now() - this.lastListedAt >= MIN_CHECK_PAUSE_MS;
    if ('url' in this.setup.config && !this.listing && isDue) this.relist();
  }

  relist(): void {
    this.isStale = true;
    this.wake();
    const connection = this.listedConnection;
    if (connection)
      this.listing ??= this.listWhileStale(connection).finally(() => (this.listing = undefined));
  }

  private get isOnDemand(): boolean {
    return this.setup.config.start === 'demand';
  }

  private async keepListed(onFirstTryEnded: () => void): Promise<void> {
    const { clock } = this.setup;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const connection = await this.kept.open().catch(() => (this.prior = undefined));
      onFirstTryEnded();
      if (this.isOnDemand) {
        await this.kept.disconnect();
        if (connection) await this.untilStale();
      } else {
        if (connection) await this.untilLost(connection);
        await this.withdraw();
        if (connection) this.pause.failed();
      }
      await clock.sleep(this.pause.leftMs, signal).catch(() => undefined);
    }
  }

  private async prepare(connection: McpConnection): Promise<void> {
    const { config, logger } = this.setup;
    this.prior = connection.prior;
    const tools = await this.listOnce(connection);
    logger.info({ server: config.name, tools }, 'MCP server connected');
    // The first list may lack a change that the server reported while it answered.
    if (this.isStale) this.relist();
  }

  private async untilLost(connection: McpConnection): Promise<void> {
    await connection.lost;
    if (!this.stopping.signal.aborted)
      this.setup.logger.warn({ server: this.setup.config.name }, 'MCP server connection lost');
  }

  private async withdraw(): Promise<void> {
    this.ttlTimer?.cancel();
    this.listedConnection = undefined;
    this.setup.onLost();
    await this.kept.disconnect();
  }

  private async untilStale(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (this.isStale || this.stopping.signal.aborted) resolve();
    });
  }

  private async listWhileStale(connection: McpConnection): Promise<void> {
    while (this.isStale && connection === this.listedConnection) {
      try {
        await this.listOnce(connection);
      } catch (error) {
        // The server neither answers nor closes the connection: calls would wait in vain.
        const { config, logger } = this.setup;
        logger.warn({ server: config.name, reason: reasonOf(error) }, 'MCP server did not list its tools');
        await this.kept.disconnect();
      }
    }
  }

  /** Resolves to the number of tools. */
  private async listOnce(connection: McpConnection): Promise<number> {
    this.isStale = false;
    try {
      const { tools, ttlMs } = await connection.listTools();
      if (this.kept.has(connection)) {
        if (!this.isOnDemand) this.listedConnection = connection;
        this.scheduleNext(ttlMs);
        this.setup.onListed(tools, connection.serverVersion);
      }
      return tools.length;
    } finally {
      this.lastListedAt = this.setup.clock.now();
    }
  }

  private scheduleNext(ttlMs: number | undefined): void {
    const { config, timings, clock } = this.setup;
    this.ttlTimer?.cancel();
    const withoutTtlMs = 'url' in config && !this.isOnDemand ? timings.checkEveryMs : undefined;
    const nextMs = ttlMs === undefined ? withoutTtlMs : Math.max(timings.minTtlMs, ttlMs);
    if (nextMs === undefined) return;
    this.ttlTimer = clock.after(Math.min(nextMs, MAX_TTL_MS), () => this.relist(), { unref: true });
  }
}
