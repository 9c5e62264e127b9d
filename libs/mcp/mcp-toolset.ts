import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolResult, PriorDiscovery } from '@modelcontextprotocol/client';
import {
  toPrintable,
  toToolsetName,
  type ArgumentValidator,
  type Tool,
  type ToolContext,
  type ToolDescription,
  type ToolsetHost,
} from '#tools';
import type { McpServer } from './mcp-config.js';
import { isTimeout, McpConnection } from './mcp-connection.js';
import { cancelled, isConnectionError, timedOut, toToolError, unavailable } from './mcp-errors.js';
import type { McpLogger } from './mcp-logger.js';
import { toMcpResult } from './mcp-result.js';
import { describeTools } from './mcp-tool-description.js';

export interface McpTimings {
  /** How long `start` waits for the first connection; connecting goes on after it. */
  firstTryMs: number;
  /** The first pause before another try; doubles up to `maxPauseMs`, with jitter. */
  minPauseMs: number;
  maxPauseMs: number;
  /** How often an HTTP server is asked for its tools: it cannot tell that it is gone. */
  checkEveryMs: number;
}
const DEFAULT_TIMINGS: McpTimings = {
  firstTryMs: 5000,
  minPauseMs: 500,
  maxPauseMs: 30_000,
  checkEveryMs: 30_000,
};

/** A connection that ended earlier was no success: the pause before the next one grows. */
const GOOD_CONNECTION_MS = 10_000;
/** Between two checks because of trouble, so that a check cannot be the trouble that asks for the next. */
const MIN_CHECK_PAUSE_MS = 1000;
const MAX_PROGRESS_MESSAGE_LENGTH = 500;

/**
 * The tools of one MCP server. They are offered while it is connected; a lost connection is made again, for ever,
 * by one loop. Its trouble stays its own: calls fail with `DependencyUnavailable`, or with
 * `ToolConnectionLostError` if the connection broke while they ran.
 */
export class McpToolset implements ToolsetHost {
  readonly name: string;
  readonly source = 'mcp';
  readonly server: string;
  version = '0.0.0';
  private offered: Tool[] = [];
  private connection: McpConnection | undefined;
  private readonly listeners: (() => void)[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private prior: PriorDiscovery | undefined;
  /** At most one list request at a time, and one more if something happened meanwhile. */
  private listing: Promise<void> | undefined;
  private isListingStale = false;
  private lastListedAt = 0;
  private readonly timings: McpTimings;

  constructor(
    private readonly config: McpServer,
    private readonly validator: ArgumentValidator,
    private readonly logger: McpLogger,
    timings: Partial<McpTimings> = {},
  ) {
    this.server = config.name;
    this.name = toToolsetName(config.name);
    this.timings = { ...DEFAULT_TIMINGS, ...timings };
  }

  tools(): Tool[] {
    return this.offered;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Resolves when the first try has ended, after 5 s at the latest. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(this.timings.firstTryMs)]);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.running ??= this.keepConnected(resolve);
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.connection?.close();
    await this.running;
  }

  private async keepConnected(onFirstTryEnded: () => void): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted;) {
      const connectedMs = await this.connectOnce(onFirstTryEnded);
      failures = connectedMs >= GOOD_CONNECTION_MS ? 1 : failures + 1;
      await this.pause(failures);
    }
  }

  /** One connection from its attempt to its end. Resolves to the time that it was good for calls. */
  private async connectOnce(onTried: () => void): Promise<number> {
    const connection = new McpConnection(this.config, this.logger);
    this.connection = connection;
    let connectedAt: number | undefined;
    try {
      await connection.connect(this.prior);
      this.prior = connection.prior;
      connection.onToolsChanged = () => this.relist(connection);
      connection.onTrouble = () => this.check(connection);
      this.version = connection.serverVersion ?? this.version;
      await this.listOnce(connection);
      connectedAt = performance.now();
      this.logger.info({ server: this.server, tools: this.offered.length }, 'MCP server connected');
      onTried();
      await this.untilLost(connection);
    } catch (error) {
      this.prior = undefined;
      if (!this.stopping.signal.aborted) this.warn(error, 'MCP server not connected');
    }
    onTried();
    await connection.close().catch(() => undefined);
    this.connection = undefined;
    this.offer([]);
    return connectedAt === undefined ? 0 : performance.now() - connectedAt;
  }

  private async untilLost(connection: McpConnection): Promise<void> {
    const timer =
      'url' in this.config
        ? setInterval(() => this.relist(connection), this.timings.checkEveryMs)
        : undefined;
    await connection.lost;
    clearInterval(timer);
    if (!this.stopping.signal.aborted)
      this.logger.warn({ server: this.server }, 'MCP server connection lost');
  }

  /** A child process ends visibly; an HTTP server has to be asked. */
  private check(connection: McpConnection): void {
    const isDue = performance.now() - this.lastListedAt >= MIN_CHECK_PAUSE_MS;
    if ('url' in this.config && !this.listing && isDue) this.relist(connection);
  }

  private relist(connection: McpConnection): void {
    this.isListingStale = true;
    this.listing ??= this.listWhileStale(connection).finally(() => (this.listing = undefined));
  }

  private async listWhileStale(connection: McpConnection): Promise<void> {
    while (this.isListingStale && connection === this.connection) {
      this.isListingStale = false;
      try {
        await this.listOnce(connection);
      } catch (error) {
        // It neither answers nor says that it is gone: calls would wait for nothing.
        this.warn(error, 'MCP server does not list its tools');
        await connection.close().catch(() => undefined);
      }
      this.lastListedAt = performance.now();
    }
  }

  private async listOnce(connection: McpConnection): Promise<void> {
    const listed = await connection.listTools();
    const findProblem = (schema: Record<string, unknown>) => this.validator.findSchemaProblem(schema);
    const { accepted, refused } = describeTools(listed, this.config, findProblem);
    for (const { name, reason } of refused) {
      this.logger.warn({ server: this.server, tool: toPrintable(name, 200), reason }, 'MCP tool not offered');
    }
    if (connection === this.connection) this.offer(accepted);
  }

  private offer(descriptions: ToolDescription[]): void {
    const before = JSON.stringify(this.offered.map(({ definition }) => definition));
    if (before === JSON.stringify(descriptions)) return;
    this.offered = descriptions.map((definition) => ({
      definition,
      run: (args, context) => this.call(definition, args, context),
    }));
    for (const listener of this.listeners) listener();
  }

  private async call(
    { own_name, timeout_ms }: ToolDescription,
    args: Record<string, unknown>,
    context: ToolContext,
  ) {
    const { connection } = this;
    if (!connection || this.offered.length === 0) throw unavailable(this.server);
    const { signal } = context;
    let result: CallToolResult;
    try {
      result = await connection.callTool(own_name, args, {
        meta: metaOf(context),
        signal,
        timeoutMs: timeout_ms,
        onProgress: ({ progress, total, message }) =>
          context.progress(progress, total, message && toPrintable(message, MAX_PROGRESS_MESSAGE_LENGTH)),
      });
    } catch (error) {
      if (signal.aborted) throw cancelled();
      if (isTimeout(error)) throw timedOut(timeout_ms);
      if (isConnectionError(error) && 'url' in this.config) this.relist(connection);
      throw toToolError(error, this.server);
    }
    return toMcpResult(result, (attachment) => context.attach(attachment));
  }

  private async pause(failures: number): Promise<void> {
    const { minPauseMs, maxPauseMs } = this.timings;
    const longest = Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures - 1, 16));
    const { signal } = this.stopping;
    await delay(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }

  private warn(error: unknown, message: string): void {
    const reason = error instanceof Error ? toPrintable(error.message, 500) : 'unknown';
    this.logger.warn({ server: this.server, reason }, message);
  }
}

/** What lets a `keyed` tool recognise a call that it has been asked for before. */
function metaOf({ toolCallId, attempt }: ToolContext): Record<string, unknown> {
  return { 'switchyard/tool_call_id': toolCallId, 'switchyard/attempt': attempt };
}
