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
import { toPrintable, type ToolContext } from '#tools';
import { Elicitation } from './elicitation.js';
import type { McpServer } from './mcp-config.js';
import type { McpLogger } from './mcp-logger.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** A stdio server that does not know the question is silent or says so: old. */
const PROBE_TIMEOUT_MS = 5000;
const LIST_TIMEOUT_MS = 15_000;
/** The longest that a timer takes: whoever calls a tool keeps its time, which stands still while a person is asked. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** For telling an HTTP server that its session is over. */
const FAREWELL_TIMEOUT_MS = 1000;
const MAX_STDIO_MESSAGE_BYTES = 24 * 1024 * 1024;

export interface CallOptions {
  /** What the server is told beside the arguments, under namespaced keys. */
  meta: Record<string, unknown>;
  asker: Pick<ToolContext, 'conversationId' | 'ask' | 'signal'>;
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
  private readonly elicitation = new Elicitation();
  /** As listed last, by name. */
  private listed = new Map<string, Tool>();
  private readonly client: Client;
  private readonly transport: StdioClientTransport | StreamableHTTPClientTransport;

  constructor(server: McpServer, logger: McpLogger) {
    this.transport = openTransport(server, logger);
    this.client = new Client(
      { name: 'switchyard', version: '0.1.0' },
      {
        capabilities: { elicitation: { form: {} } },
        jsonSchemaValidator: acceptAnything,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.onToolsChanged() } },
      },
    );
    this.lost = new Promise((resolve) => (this.client.onclose = () => resolve()));
    this.client.onerror = () => this.onTrouble();
    this.client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      this.elicitation.answer(params, mcpReq.signal),
    );
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
    this.listed = new Map(tools.map((tool) => [tool.name, tool]));
    return tools;
  }

  callTool(
    name: string,
    args: Record<string, unknown>,
    { meta, asker, onProgress }: CallOptions,
  ): Promise<CallToolResult> {
    const options = {
      signal: asker.signal,
      timeout: NO_TIMEOUT_MS,
      // Without it the server is not asked for progress.
      onprogress: onProgress,
      allowInputRequired: true,
      ...this.withoutOutputSchema(name),
    };
    return this.elicitation.during(asker, (repeatWith) =>
      this.client.callTool({ name, arguments: args, _meta: meta, ...repeatWith }, options),
    );
  }

  /** Else the SDK would want structured content from a server that only asks something. */
  private withoutOutputSchema(name: string): { toolDefinition?: Tool } {
    const tool = this.listed.get(name);
    return tool?.outputSchema ? { toolDefinition: { ...tool, outputSchema: undefined } } : {};
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
