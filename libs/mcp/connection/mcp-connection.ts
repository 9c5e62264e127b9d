import {
  Client,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type jsonSchemaValidator,
  type PriorDiscovery,
  type Progress,
  type Tool,
} from '@modelcontextprotocol/client';
import { VERSION } from '#observability';
import { limitTime, settledWithin, type Clock } from '#time';
import { limitLines } from '../limits/limit-lines.js';
import type { UserAccess } from '../access/user-access.js';
import type { McpServer } from '../config/mcp-config.js';
import type { McpLogger } from '../config/telemetry.js';
import type { McpMetrics } from '../config/telemetry.js';
import { Elicitation } from './elicitation.js';
import type { Asker } from './elicitation.js';
import { openTransport } from './open-transport.js';
import { refuseRequest } from './mcp-errors.js';
import { LOG_LEVEL, logMessage, type LoggedMessage } from './server-log.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** A stdio server that refuses the probe, or stays silent for this long, uses the older protocol. */
const PROBE_TIMEOUT_MS = 5000;
const LIST_TIMEOUT_MS = 15_000;
/** The longest delay of a timer. The caller of a tool limits its time and pauses that while a person is asked. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** For the request that ends an HTTP server's session. */
const SESSION_END_TIMEOUT_MS = 1000;

export interface ConnectionDeps {
  logger: McpLogger;
  metrics: McpMetrics;
  clock: Clock;
  onToolsChanged(): void;
  /** Of the user whose connection it is. */
  access?: UserAccess;
  /** An error of the transport; an HTTP transport does not notice that its server is gone. */
  onTrouble?(): void;
}

export interface CallObserver {
  onProgress(progress: Progress): void;
  /** A log message that the server wrote while only calls of this turn were on the connection. */
  onLog(message: LoggedMessage): void;
}

export interface CallOptions {
  turnId: string;
  asker: Asker;
  /** Sent to the server besides the arguments, under namespaced keys. */
  meta: Record<string, unknown>;
  observer: CallObserver;
}

export interface ListedTools {
  tools: Tool[];
  /** How long the list stays valid, as the server says; absent: the server says nothing. */
  ttlMs?: number;
}

/** We judge results ourselves: the SDK would compile a server's schemas without a limit and drop what does not fit. */
const acceptAnything: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** One connection to one server, usable until `lost` resolves. */
export class McpConnection {
  /** Resolves when the connection has ended, for any reason. */
  readonly lost: Promise<void>;
  /** The server's protocol version, once connected: saves the next connection the probe. */
  prior: PriorDiscovery | undefined;
  private readonly elicitation: Elicitation;
  /** The tools of the last listing, by name. */
  private listed = new Map<string, Tool>();
  private readonly client: Client;
  private readonly transport: ReturnType<typeof openTransport>;
  private readonly inFlight = new Set<CallOptions>();

  constructor(
    private readonly server: McpServer,
    private readonly deps: ConnectionDeps,
  ) {
    const { logger, clock } = deps;
    const lines = limitLines(logger, server.name, clock);
    this.elicitation = new Elicitation(clock);
    this.transport = openTransport(server, lines, deps.access);
    this.client = new Client(
      { name: 'switchyard', version: VERSION },
      {
        capabilities: { elicitation: { form: {} } },
        jsonSchemaValidator: acceptAnything,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => deps.onToolsChanged() } },
      },
    );
    this.lost = new Promise((resolve) => (this.client.onclose = () => resolve()));
    this.client.onerror = () => deps.onTrouble?.();
    this.client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      this.elicitation.answer(params, mcpReq.signal),
    );
    this.client.fallbackRequestHandler = async (request) => refuseRequest(request);
    this.client.setNotificationHandler('notifications/message', ({ params }) => {
      const message = logMessage(server.name, params, lines);
      const [first, ...others] = this.inFlight;
      // The message does not name its call: with calls of several turns the wrong person could see it.
      if (first && others.every(({ turnId }) => turnId === first.turnId)) first.observer.onLog(message);
    });
  }

  async connect(prior: PriorDiscovery | undefined): Promise<void> {
    const server = this.server.name;
    const { metrics } = this.deps;
    try {
      await this.client.connect(this.transport, { timeout: CONNECT_TIMEOUT_MS, prior });
    } catch (error) {
      metrics.mcpConnects.inc({ server, outcome: 'error' });
      throw error;
    }
    metrics.mcpConnects.inc({ server, outcome: 'ok' });
    metrics.mcpConnections.inc({ server });
    void this.lost.then(() => metrics.mcpConnections.dec({ server }));
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
    // For a server without tools, the SDK would write to the console instead of asking.
    if (!this.client.getServerCapabilities()?.tools) return { tools: [] };
    const signal = limitTime(this.deps.clock, LIST_TIMEOUT_MS);
    const { tools, ttlMs } = await this.client.listTools(undefined, {
      timeout: LIST_TIMEOUT_MS,
      signal,
      cacheMode: 'refresh',
    });
    this.listed = new Map(tools.map((tool) => [tool.name, tool]));
    return { tools, ttlMs: typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : undefined };
  }

  async callTool(name: string, args: Record<string, unknown>, call: CallOptions): Promise<CallToolResult> {
    const options = {
      signal: call.asker.signal,
      timeout: NO_TIMEOUT_MS,
      // Without this handler the SDK does not ask the server for progress.
      onprogress: (progress: Progress) => call.observer.onProgress(progress),
      allowInputRequired: true,
      ...this.withoutOutputSchema(name),
    };
    const _meta = this.isModern ? { ...call.meta, [LOG_LEVEL_META_KEY]: LOG_LEVEL } : call.meta;
    this.inFlight.add(call);
    try {
      return await this.elicitation.during(call.asker, (repeatWith) =>
        this.client.callTool({ name, arguments: args, _meta, ...repeatWith }, options),
      );
    } finally {
      this.inFlight.delete(call);
    }
  }

  /** Otherwise the SDK would require structured content in an answer that only asks a question. */
  private withoutOutputSchema(name: string): { toolDefinition?: Tool } {
    const tool = this.listed.get(name);
    return tool?.outputSchema ? { toolDefinition: { ...tool, outputSchema: undefined } } : {};
  }

  /** Ends the connection or the attempt to connect. A child process is gone when this resolves. */
  async close(): Promise<void> {
    if (this.transport instanceof StreamableHTTPClientTransport && this.transport.sessionId !== undefined) {
      await settledWithin(this.deps.clock, this.transport.terminateSession(), SESSION_END_TIMEOUT_MS);
    }
    // Closing the client does not reach a transport that `connect` has not attached yet.
    await this.transport.close();
    await this.client.close();
  }
}
