import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Connections } from '#connections';
import type { ToolResult } from '#contracts';
import type { Time } from '#time';
import {
  Slots,
  ToolError,
  toPrintable,
  toToolsetName,
  type InputSchemas,
  type Tool,
  type ToolContext,
  type ToolDescription,
  type ToolsetHost,
} from '#tools';
import { createAccess, type ServerAccess } from './access/server-access.js';
import { CallReports } from './call/call-reports.js';
import { metaOf } from './call/call-meta.js';
import { toMcpResult } from './call/mcp-result.js';
import type { McpServer } from './config/mcp-config.js';
import { DEFAULT_TIMINGS, type McpTimings } from './config/mcp-timings.js';
import { NO_METRICS, type McpLogger, type McpMetrics } from './config/telemetry.js';
import { forListing } from './config/expand-variables.js';
import { releaseSlotWhileAsking } from './connection/elicitation.js';
import { InstancePool } from './connection/instance-pool.js';
import { ConnectPause } from './connection/kept-connection.js';
import type { ListedTools } from './connection/mcp-connection.js';
import {
  cancelled,
  isConnectionError,
  suspended,
  toToolError,
  unavailable,
} from './connection/mcp-errors.js';
import type { ConnectionWork } from './connection/mcp-instance.js';
import { CircuitBreaker, type BreakerState, type CallEnd, type Pass } from './limits/circuit-breaker.js';
import { describeTools } from './listing/describe-tools.js';
import { createListing } from './listing/create-listing.js';
import type { Listing } from './listing/tool-listing.js';

const BREAKER_STATES = { closed: 0, half_open: 1, open: 2 };

export interface McpToolsetDeps extends Time {
  schemas: InputSchemas;
  logger: McpLogger;
  timings?: Partial<McpTimings>;
  metrics?: McpMetrics;
  connections?: Connections;
}

/**
 * The tools of one MCP server. A failing server affects only its own calls, which end with `DependencyUnavailable`, or
 * with `ToolConnectionLostError` if the connection broke while they ran.
 */
export class McpToolset implements ToolsetHost {
  readonly name: string;
  readonly source = 'mcp';
  readonly server: string;
  readonly scope: ToolsetHost['scope'];
  readonly concurrency: number | undefined;
  version = '0.0.0';
  private offered: Tool[] = [];
  private readonly listeners: (() => void)[] = [];
  private readonly listing: Listing;
  private readonly access: ServerAccess | undefined;
  /** For calls that do not use the listing's connection. */
  private readonly pool: InstancePool | undefined;
  private readonly slots: Slots;
  private readonly breaker: CircuitBreaker;
  private readonly logger: McpLogger;
  private readonly metrics: McpMetrics;
  private isStopping = false;

  constructor(
    private readonly config: McpServer,
    private readonly deps: McpToolsetDeps,
  ) {
    const { logger, clock, random, metrics = NO_METRICS } = deps;
    this.logger = logger;
    this.metrics = metrics;
    const { name, scope, start, concurrency, maxInstances } = config;
    this.server = name;
    this.name = toToolsetName(name);
    this.scope = scope === 'shared' ? undefined : scope;
    this.concurrency = scope === 'shared' ? concurrency : undefined;
    const allTimings = { ...DEFAULT_TIMINGS, ...deps.timings };
    this.access = createAccess(config, deps);
    this.listing = createListing({
      ...{ logger, metrics, clock, random },
      config: forListing(config),
      timings: allTimings,
      onListed: (tools, version) => this.takeListing(tools, version),
      onLost: () => this.offer([]),
    });
    if (scope !== 'shared' || start === 'demand') {
      const setup = {
        ...{ config, logger, metrics, clock },
        pause: new ConnectPause(allTimings, deps),
        prior: () => this.listing.prior,
        onToolsChanged: () => this.listing.changed(),
      };
      this.pool = new InstancePool(
        setup,
        scope === 'shared' ? 1 : maxInstances,
        this.access && ((userId) => this.access!.of(userId)),
      );
    }
    this.slots = new Slots(concurrency);
    const onState = (state: BreakerState) => {
      metrics.mcpBreaker.set({ server: name }, BREAKER_STATES[state]);
      logger.warn({ server: name, state }, 'MCP server circuit breaker changed');
    };
    this.breaker = new CircuitBreaker(allTimings.breaker, onState, clock);
    metrics.mcpServerUp.set({ server: name }, 0);
    metrics.mcpConnections.set({ server: name }, 0);
    metrics.mcpBreaker.set({ server: name }, 0);
  }

  tools(): Tool[] {
    return this.offered;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Resolves when the first attempt to list has ended, after `firstTryMs` at the latest. */
  start(): Promise<void> {
    return this.listing.start();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.listing.stop(), this.pool?.stop()]);
  }

  private takeListing(listed: ListedTools['tools'], version: string | undefined): void {
    this.version = version ?? this.version;
    const findProblem = (schema: Record<string, unknown>) => this.deps.schemas.findProblem(schema);
    const listing = describeTools(listed, this.config, findProblem);
    const { accepted, refused, unchecked, withoutOutput } = listing;
    for (const { name, reason } of refused) {
      this.logger.warn({ server: this.server, tool: toPrintable(name, 200), reason }, 'MCP tool not offered');
    }
    if (unchecked > 0) {
      const message = 'MCP tools not checked and not offered, too many before them were refused';
      this.logger.warn({ server: this.server, tools: unchecked }, message);
    }
    if (withoutOutput.length > 0) {
      const names = withoutOutput.slice(0, 10).map((name) => toPrintable(name, 200));
      const fields = { server: this.server, tools: withoutOutput.length, names };
      this.logger.warn(
        fields,
        'output schemas of MCP tools not usable or too large: results are not checked',
      );
    }
    this.offer(accepted);
  }

  private offer(descriptions: ToolDescription[]): void {
    this.metrics.mcpServerUp.set({ server: this.server }, descriptions.length > 0 ? 1 : 0);
    const before = JSON.stringify(this.offered.map(({ definition }) => definition));
    if (before === JSON.stringify(descriptions)) return;
    this.offered = descriptions.map((definition) => ({
      definition,
      run: (args, context) => this.call(definition.own_name, args, context),
    }));
    for (const listener of this.listeners) listener();
  }

  private async call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    const { turnId, signal } = context;
    const pass = this.breaker.enter();
    if ('retryAfterMs' in pass) throw suspended(this.server, pass.retryAfterMs);
    const { logs = context.wantsLogs ? 'viewers' : 'operators' } = this.config;
    const reports = new CallReports(context, logs === 'viewers', this.deps.clock);
    let answer: CallToolResult;
    try {
      answer = await this.withAccess(context, pass, () =>
        this.withConnection(context, (connection, slot) => {
          // A server that asks a question is alive, and a person may take an hour to answer.
          const asker = releaseSlotWhileAsking(context, slot, () => pass.ended('answered'));
          const options = { turnId, asker, meta: metaOf(context), observer: reports };
          return this.judge(connection.callTool(tool, args, options), pass, signal);
        }),
      );
    } catch (error) {
      if (error instanceof ToolError) throw error;
      if (signal.aborted) throw cancelled();
      if (isConnectionError(error) && 'url' in this.config) this.listing.relist();
      throw toToolError(error, this.server);
    } finally {
      pass.ended('unknown');
      reports.flush();
    }
    return toMcpResult(answer, (attachment) => context.attach(attachment));
  }

  /** Of a server that acts for a person: asks its user for access if necessary. */
  private withAccess<T>(context: ToolContext, pass: Pass, work: () => Promise<T>): Promise<T> {
    if (!this.access) return work();
    const ask: ToolContext['ask'] = (...asked) => {
      // Nothing is known about the server, and a person may take an hour.
      pass.ended('unknown');
      return context.ask(...asked);
    };
    return this.access.during({ ...context, ask }, work);
  }

  /** Runs the work on the connection of the call's owner, as soon as that has a free slot. */
  private withConnection<T>(
    { userId, conversationId, signal }: ToolContext,
    work: ConnectionWork<T>,
  ): Promise<T> {
    if (this.pool) {
      const owner = { shared: '', user: userId, conversation: conversationId }[this.config.scope];
      return this.pool.use(owner, signal, work);
    }
    return this.slots.use(async (slot) => {
      const { connection, retryAfterMs } = this.listing;
      if (!connection || this.offered.length === 0) throw unavailable(this.server, retryAfterMs || undefined);
      return work(connection, slot);
    }, signal);
  }

  /** Reports the end of the request to the circuit breaker. */
  private async judge<T>(request: Promise<T>, pass: Pass, signal: AbortSignal): Promise<T> {
    try {
      const answer = await request;
      pass.ended('answered');
      return answer;
    } catch (error) {
      pass.ended(this.isStopping ? 'unknown' : endOf(error, signal));
      throw error;
    }
  }
}

function endOf(error: unknown, signal: AbortSignal): CallEnd {
  if (signal.aborted) {
    return (signal.reason as { name?: unknown } | null)?.name === 'TimeoutError' ? 'failed' : 'unknown';
  }
  return isConnectionError(error) ? 'failed' : 'answered';
}
