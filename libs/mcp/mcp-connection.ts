import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  LOG_LEVEL_META_KEY,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type jsonSchemaValidator,
  type PriorDiscovery,
  type Progress,
  type Tool,
} from '@modelcontextprotocol/client';
import type { McpServer } from './mcp-config.js';
import type { McpLogger } from './mcp-logger.js';
import { NO_METRICS, type McpMetrics } from './mcp-metrics.js';
import { openTransport } from './open-transport.js';
import { refuseRequest } from './refused-requests.js';
import { LOG_LEVEL, logMessage } from './server-log.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** A stdio server that does not know the question is silent or says so: old. */
const PROBE_TIMEOUT_MS = 5000;
const LIST_TIMEOUT_MS = 15_000;
/** However often a call reports progress. */
const MAX_CALL_MS = 20 * 60_000;
/** For telling an HTTP server that its session is over. */
const FAREWELL_TIMEOUT_MS = 1000;

export interface CallOptions {
  /** What the server is told beside the arguments, under namespaced keys. */
  meta: Record<string, unknown>;
  signal: AbortSignal;
  timeoutMs: number;
  onProgress(progress: Progress): void;
  /** A log message that the server wrote while this was the only call on the connection. */
  onLog(text: string): void;
}

export interface ListedTools {
  tools: Tool[];
  /** How long the server says that the list is good for; absent or 0: it says nothing. */
  ttlMs?: number;
}

/** Results are ours to judge: the SDK would compile a server's schemas without a limit and drop what does not fit. */
const acceptAnything: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** One connection to one server, good until `lost` resolves; then a new one is needed. */
export class McpConnection {
  /** Resolves once, for whatever reason the connection ended. */
  readonly lost: Promise<void>;
  /** What was found out about the server's age: spares the next connection the probe. */
  prior: PriorDiscovery | undefined;
  onToolsChanged: () => void = () => undefined;
  /** Trouble of a transport that does not notice its own end (HTTP). */
  onTrouble: () => void = () => undefined;
  private readonly client: Client;
  private readonly transport: ReturnType<typeof openTransport>;
  private readonly inFlight = new Set<CallOptions>();

  constructor(
    private readonly server: McpServer,
    logger: McpLogger,
    private readonly metrics: McpMetrics = NO_METRICS,
  ) {
    this.transport = openTransport(server, logger);
    this.client = new Client(
      { name: 'switchyard', version: '0.1.0' },
      {
        capabilities: {},
        jsonSchemaValidator: acceptAnything,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.onToolsChanged() } },
      },
    );
    this.lost = new Promise((resolve) => (this.client.onclose = () => resolve()));
    this.client.onerror = () => this.onTrouble();
    this.client.fallbackRequestHandler = async (request) => refuseRequest(request);
    this.client.setNotificationHandler('notifications/message', ({ params }) => {
      const text = logMessage(server.name, params, logger);
      const [only, ...others] = this.inFlight;
      // Whose call it is about is not said: with several it could be shown to the wrong person.
      if (only && others.length === 0) only.onLog(text);
    });
  }

  async connect(prior: PriorDiscovery | undefined): Promise<void> {
    const server = this.server.name;
    try {
      await this.client.connect(this.transport, { timeout: CONNECT_TIMEOUT_MS, prior });
    } catch (error) {
      this.metrics.mcpConnects.inc({ server, outcome: 'error' });
      throw error;
    }
    this.metrics.mcpConnects.inc({ server, outcome: 'ok' });
    this.metrics.mcpConnections.inc({ server });
    void this.lost.then(() => this.metrics.mcpConnections.dec({ server }));
    const discover = this.client.getDiscoverResult();
    this.prior = discover ? { kind: 'modern', discover } : { kind: 'legacy' };
    if (!discover && this.client.getServerCapabilities()?.logging) {
      await this.client.setLoggingLevel(LOG_LEVEL, { timeout: LIST_TIMEOUT_MS }).catch(() => undefined);
    }
  }

  private get isModern(): boolean {
    return this.prior?.kind === 'modern';
  }

  get serverVersion(): string | undefined {
    return this.client.getServerVersion()?.version;
  }

  /** All pages. */
  async listTools(): Promise<ListedTools> {
    // The SDK would write to the console instead of asking a server without tools.
    if (!this.client.getServerCapabilities()?.tools) return { tools: [] };
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const { tools, ttlMs } = await this.client.listTools(undefined, {
      timeout: LIST_TIMEOUT_MS,
      signal,
      cacheMode: 'refresh',
    });
    return { tools, ttlMs: typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : undefined };
  }

  async callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { meta, signal, timeoutMs, onProgress } = options;
    this.inFlight.add(options);
    try {
      return await this.client.callTool(
        { name, arguments: args, _meta: this.isModern ? { ...meta, [LOG_LEVEL_META_KEY]: LOG_LEVEL } : meta },
        // Without `onprogress` the server is not asked for progress and nothing resets the timeout.
        {
          signal,
          timeout: timeoutMs,
          maxTotalTimeout: MAX_CALL_MS,
          resetTimeoutOnProgress: true,
          onprogress: onProgress,
        },
      );
    } finally {
      this.inFlight.delete(options);
    }
  }

  /** Ends the connection, a connection attempt too; a child process is gone when this resolves. */
  async close(): Promise<void> {
    if (this.transport instanceof StreamableHTTPClientTransport && this.transport.sessionId !== undefined) {
      const farewell = this.transport.terminateSession().catch(() => undefined);
      await Promise.race([farewell, delay(FAREWELL_TIMEOUT_MS, undefined, { ref: false })]);
    }
    // Before `connect` attached it, closing the client would not reach the transport.
    await this.transport.close();
    await this.client.close();
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}
