import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type jsonSchemaValidator,
  type PriorDiscovery,
  type Progress,
  type Tool,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toPrintable } from '#tools';
import type { McpServer } from './mcp-config.js';
import type { McpLogger } from './mcp-logger.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** A stdio server that does not know the question is silent or says so: old. */
const PROBE_TIMEOUT_MS = 5000;
const LIST_TIMEOUT_MS = 15_000;
/** However often a call reports progress. */
const MAX_CALL_MS = 20 * 60_000;
/** For telling an HTTP server that its session is over. */
const FAREWELL_TIMEOUT_MS = 1000;
const MAX_STDIO_MESSAGE_BYTES = 24 * 1024 * 1024;

export interface CallOptions {
  /** What the server is told beside the arguments, under namespaced keys. */
  meta: Record<string, unknown>;
  signal: AbortSignal;
  timeoutMs: number;
  onProgress(progress: Progress): void;
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
  private readonly transport: StdioClientTransport | StreamableHTTPClientTransport;

  constructor(server: McpServer, logger: McpLogger) {
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
  }

  async connect(prior: PriorDiscovery | undefined): Promise<void> {
    await this.client.connect(this.transport, { timeout: CONNECT_TIMEOUT_MS, prior });
    const discover = this.client.getDiscoverResult();
    this.prior = discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  get serverVersion(): string | undefined {
    return this.client.getServerVersion()?.version;
  }

  /** All pages. */
  async listTools(): Promise<Tool[]> {
    // The SDK would write to the console instead of asking a server without tools.
    if (!this.client.getServerCapabilities()?.tools) return [];
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const { tools } = await this.client.listTools(undefined, {
      timeout: LIST_TIMEOUT_MS,
      signal,
      cacheMode: 'refresh',
    });
    return tools;
  }

  callTool(
    name: string,
    args: Record<string, unknown>,
    { meta, signal, timeoutMs, onProgress }: CallOptions,
  ): Promise<CallToolResult> {
    return this.client.callTool(
      { name, arguments: args, _meta: meta },
      // Without `onprogress` the server is not asked for progress and nothing resets the timeout.
      {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: MAX_CALL_MS,
        resetTimeoutOnProgress: true,
        onprogress: onProgress,
      },
    );
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

function openTransport(
  server: McpServer,
  logger: McpLogger,
): StdioClientTransport | StreamableHTTPClientTransport {
  if ('url' in server) {
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers },
    });
  }
  const { command, args, env, cwd } = server;
  // The transport adds PATH, HOME and the like, nothing else of our own environment.
  const options = {
    command,
    args,
    env,
    cwd,
    stderr: 'pipe' as const,
    maxBufferSize: MAX_STDIO_MESSAGE_BYTES,
  };
  const transport = new StdioClientTransport(options);
  logLines(transport, server.name, logger);
  return transport;
}

const MAX_LINE_LENGTH = 2000;

function logLines({ stderr }: StdioClientTransport, server: string, logger: McpLogger): void {
  let rest = '';
  const log = (line: string) => {
    const printable = toPrintable(line, MAX_LINE_LENGTH);
    if (printable !== '') logger.info({ server }, printable);
  };
  stderr?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_LINE_LENGTH);
    lines.forEach(log);
  });
  stderr?.on('end', () => log(rest));
}
