import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Registry } from 'prom-client';

/** Seconds, from a bus hop to the longest tool. */
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const STORE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates a separate registry (tests run several processes in one) with the default metrics of the process and ours.
 * Label values are bounded: never an id, a user or a name that a client chooses.
 */
export function createMetrics(options: { collectDefaults?: boolean } = {}) {
  const registry = new Registry();
  if (options.collectDefaults ?? true) collectDefaultMetrics({ register: registry });
  return {
    registry,
    ...createTurnMetrics(registry),
    ...createToolMetrics(registry),
    ...createMcpMetrics(registry),
    ...createLimitMetrics(registry),
    ...createTransportMetrics(registry),
  };
}

/** Sets the gauge to the value of `read` on each scrape. */
export function readOnDemand(gauge: Gauge, read: () => number): void {
  Object.assign(gauge, { collect: () => gauge.set(read()) });
}

function createTurnMetrics(registry: Registry) {
  const registers = [registry];
  return {
    turnsStarted: new Counter({
      name: 'switchyard_turns_started_total',
      help: 'Turns that an orchestrator began to drive.',
      registers,
    }),
    turnsEnded: new Counter({
      name: 'switchyard_turns_ended_total',
      help: 'Turns that ended, by status: completed, failed, cancelled.',
      labelNames: ['status'],
      registers,
    }),
    modelCalls: new Counter({
      name: 'switchyard_model_calls_total',
      help: 'Requests to the model, by outcome: ok, error, aborted.',
      labelNames: ['outcome'],
      registers,
    }),
    modelCost: new Counter({
      name: 'switchyard_model_cost_total',
      help: 'Cost of model answers, in the unit of the configured prices, by model.',
      labelNames: ['model'],
      registers,
    }),
    modelRetries: new Counter({
      name: 'switchyard_model_retries_total',
      help: 'Repeated requests to the model, by the kind of error that caused them.',
      labelNames: ['kind'],
      registers,
    }),
    modelSteps: new Counter({
      name: 'switchyard_model_steps_total',
      help: 'Steps committed here, by the model that wrote them (other: a client chose it), and kind: model, summary.',
      labelNames: ['model', 'kind'],
      registers,
    }),
    modelFallbacks: new Counter({
      name: 'switchyard_model_fallbacks_total',
      help: 'Times that this model was asked because another model was overloaded.',
      labelNames: ['model'],
      registers,
    }),
  };
}

function createToolMetrics(registry: Registry) {
  const registers = [registry];
  return {
    toolCalls: new Counter({
      name: 'switchyard_tool_calls_total',
      help: 'Tool calls that ended here, by toolset and outcome: a result status, or the type of the error.',
      labelNames: ['toolset', 'outcome'],
      registers,
    }),
    callsHeld: new Gauge({
      name: 'switchyard_calls_held',
      help: 'Tool calls that this orchestrator holds back until their user has less in the queue, by toolset.',
      labelNames: ['toolset'],
      registers,
    }),
    toolCallDuration: new Histogram({
      name: 'switchyard_tool_call_duration_seconds',
      help: 'Duration of tool calls, by toolset.',
      labelNames: ['toolset'],
      buckets: CALL_BUCKETS,
      registers,
    }),
  };
}

/** The server labels are the configured servers. */
function createMcpMetrics(registry: Registry) {
  const shared = { labelNames: ['server'], registers: [registry] };
  return {
    mcpServerUp: new Gauge({
      name: 'switchyard_mcp_server_up',
      help: 'Whether the tools of an MCP server are offered: 1 or 0.',
      ...shared,
    }),
    mcpConnections: new Gauge({
      name: 'switchyard_mcp_connections',
      help: 'Open processes or sessions of an MCP server.',
      ...shared,
    }),
    mcpConnects: new Counter({
      name: 'switchyard_mcp_connects_total',
      help: 'Attempts to connect to an MCP server, by outcome: ok, error.',
      labelNames: ['server', 'outcome'],
      registers: [registry],
    }),
    mcpBreaker: new Gauge({
      name: 'switchyard_mcp_breaker',
      help: 'Circuit breaker of an MCP server: 0 closed, 1 half open, 2 open.',
      ...shared,
    }),
    scopedToolsetConflicts: new Counter({
      name: 'switchyard_scoped_toolset_conflicts_total',
      help: 'Times that a second worker announced a toolset with a scope.',
      labelNames: ['toolset'],
      registers: [registry],
    }),
  };
}

function createLimitMetrics(registry: Registry) {
  const registers = [registry];
  return {
    toolRateRefusals: new Counter({
      name: 'switchyard_tool_rate_refusals_total',
      help: 'Tool calls that this worker refused because of a configured rate, by toolset.',
      labelNames: ['toolset'],
      registers,
    }),
    refusals: new Counter({
      name: 'switchyard_refusals_total',
      help: 'Work that a limit of this process refused, cut off or held back, by limit.',
      labelNames: ['limit'],
      registers,
    }),
    modelWaits: new Counter({
      name: 'switchyard_model_waits_total',
      help: 'Requests to the model that had to wait for the budget, by what was short: requests, tokens, streams, provider.',
      labelNames: ['short_of'],
      registers,
    }),
    modelWaitDuration: new Histogram({
      name: 'switchyard_model_wait_seconds',
      help: 'Waiting time of requests to the model that had to wait.',
      buckets: CALL_BUCKETS,
      registers,
    }),
    toolDefinitionChanges: new Counter({
      name: 'switchyard_tool_definition_changes_total',
      help: 'Known tools whose definition changed within the same version, by toolset.',
      labelNames: ['toolset'],
      registers,
    }),
  };
}

function createTransportMetrics(registry: Registry) {
  const registers = [registry];
  return {
    publishOutcomes: new Counter({
      name: 'switchyard_publishes_total',
      help: 'Commands and control messages, by kind of queue and outcome: confirmed, returned, refused, unknown.',
      labelNames: ['queue', 'outcome'],
      registers,
    }),
    eventsRelayed: new Counter({
      name: 'switchyard_events_relayed_total',
      help: 'Conversation events handed to viewers.',
      registers,
    }),
    eventsDropped: new Counter({
      name: 'switchyard_events_dropped_total',
      help: 'Conversation events not handed to a viewer, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    feeds: new Gauge({
      name: 'switchyard_feeds',
      help: 'Conversations whose events are bound: those with viewers, and those without for half a minute.',
      registers,
    }),
    viewers: new Gauge({
      name: 'switchyard_viewers',
      help: 'Sockets and requests that follow a conversation; one that follows several counts once for each.',
      registers,
    }),
    sockets: new Gauge({ name: 'switchyard_sockets', help: 'Open client connections.', registers }),
    unknownSockets: new Gauge({
      name: 'switchyard_unknown_sockets',
      help: 'Open connections whose users are not known yet.',
      registers,
    }),
    storeLatency: new Histogram({
      name: 'switchyard_store_operation_seconds',
      help: 'Duration of store operations, by operation and outcome: ok, error.',
      labelNames: ['operation', 'outcome'],
      buckets: STORE_BUCKETS,
      registers,
    }),
  };
}
