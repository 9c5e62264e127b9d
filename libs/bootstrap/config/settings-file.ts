import { z } from 'zod';
import { toolClassSchema, type ToolClass } from '#contracts';

/*
 * The file that `CONFIG` names (`./switchyard.json`). Strict: an unknown key is refused with its name, because a
 * setting that is silently ignored is worse than none.
 */

const positive = (max: number) => z.int().min(1).max(max);

/** A toolset (`math`) or one of its tools (`math.add`). */
const toolKeySchema = z
  .string()
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, { error: 'must be a toolset (math) or a tool (math.add)' });

/**
 * Whether a person must allow a call before it starts: `always`, `never`, or `first`: until one of the tool has been
 * approved in the conversation. `true` and `false` mean `always` and `never`.
 */
const approvalModeSchema = z
  .union([z.boolean(), z.enum(['always', 'first', 'never'])], {
    error: 'must be always, first or never',
  })
  .transform((mode) => (typeof mode === 'boolean' ? (mode ? 'always' : 'never') : mode));

const toolSettingsSchema = z.strictObject({
  class: toolClassSchema.optional(),
  timeout_ms: positive(1_200_000).optional(),
  approve: approvalModeSchema.optional(),
  /** Calls at once in one worker, of the toolset together. */
  concurrency: positive(1_000).optional(),
  /** Bytes of a result that the model is given; the rest is kept as an artifact. */
  output_bytes: z.int().min(2_048).max(131_072).optional(),
});

export const settingsFileSchema = z.strictObject({
  budgets: z
    .strictObject({
      steps: positive(1_000).default(25),
      turn_minutes: z.number().min(0.1).max(1_440).default(10),
      output_tokens: positive(100_000_000).default(200_000),
      parallel_calls: positive(1_000).default(16),
    })
    .prefault({}),
  attempts: z
    .strictObject({
      turn_takeovers: z.int().min(2).max(1_000).default(5),
      turn_takeover_seconds: positive(86_400).default(60),
      tool_call: positive(100).default(3),
      model_retries: z.int().min(0).max(100).default(5),
    })
    .prefault({}),
  deadlines: z
    .strictObject({
      queueing_ms: positive(3_600_000).default(60_000),
      approval_hours: z.number().min(0.0001).max(8_760).default(168),
      question_minutes: z.number().min(0.01).max(10_080).default(60),
    })
    .prefault({}),
  limits: z
    .strictObject({
      connections_per_minute: positive(1_000_000).default(60),
      turns_at_once: positive(1_000_000).default(40),
      all_connections_per_minute: positive(10_000_000).default(6_000),
      sockets: positive(1_000_000).default(10_000),
      joined_per_socket: positive(100_000).default(200),
      requests_per_socket: positive(10_000).default(64),
      http_requests: positive(1_000_000).default(1_000),
      waiting_turns: positive(100_000).default(50_000),
    })
    .prefault({}),
  tools: z
    .record(toolKeySchema, toolSettingsSchema)
    .refine(
      (tools) =>
        Object.entries(tools).every(
          ([name, { concurrency }]) => !name.includes('.') || concurrency === undefined,
        ),
      {
        error: 'concurrency is of a toolset (math), not of a tool (math.add)',
      },
    )
    .default({}),
  /** For the tools of a class that nothing is set for by name. */
  approve: z.partialRecord(toolClassSchema, approvalModeSchema).default({}),
  /** How long a draining process may finish what it has in hand. */
  drain: z.strictObject({ grace_ms: z.int().min(0).max(600_000).default(10_000) }).prefault({}),
});

/** Limits of one turn, its model calls and its tool calls. */
export interface BudgetSettings {
  steps: number;
  turnMs: number;
  outputTokens: number;
  parallelCalls: number;
  takeovers: number;
  takeoverWindowMs: number;
  callAttempts: number;
  modelRetries: number;
  queueingMs: number;
  approvalMs: number;
}

/** What a gateway takes at most; the rest is refused as `overloaded`. */
export interface GatewayLimits {
  /** Opened by one user. */
  connectionsPerMinute: number;
  /** Of one user, in the whole installation. */
  turnsAtOnce: number;
  allConnectionsPerMinute: number;
  sockets: number;
  joinedPerSocket: number;
  /** Without an answer yet. */
  requestsPerSocket: number;
  /** Over HTTP, without an answer yet. */
  httpRequests: number;
  /** Hints that wait for an orchestrator, in the whole installation. */
  waitingTurns: number;
}

export type ApprovalMode = z.output<typeof approvalModeSchema>;

export interface ToolSettings {
  class?: ToolClass;
  timeoutMs?: number;
  approve?: ApprovalMode;
  concurrency?: number;
  outputBytes?: number;
}

export interface Settings {
  budgets: BudgetSettings;
  limits: GatewayLimits;
  /** By toolset (`math`) or tool (`math.add`). */
  tools: ReadonlyMap<string, ToolSettings>;
  approvalByClass: Partial<Record<ToolClass, ApprovalMode>>;
  /** How long a person has to answer what a tool asks. */
  questionMs: number;
  drainGraceMs: number;
}

export function toSettings(file: z.infer<typeof settingsFileSchema>): Settings {
  const { budgets, attempts, deadlines, limits, tools, approve, drain } = file;
  return {
    budgets: {
      steps: budgets.steps,
      turnMs: Math.round(budgets.turn_minutes * 60_000),
      outputTokens: budgets.output_tokens,
      parallelCalls: budgets.parallel_calls,
      takeovers: attempts.turn_takeovers,
      takeoverWindowMs: attempts.turn_takeover_seconds * 1_000,
      callAttempts: attempts.tool_call,
      modelRetries: attempts.model_retries,
      queueingMs: deadlines.queueing_ms,
      approvalMs: Math.round(deadlines.approval_hours * 3_600_000),
    },
    limits: {
      connectionsPerMinute: limits.connections_per_minute,
      turnsAtOnce: limits.turns_at_once,
      allConnectionsPerMinute: limits.all_connections_per_minute,
      sockets: limits.sockets,
      joinedPerSocket: limits.joined_per_socket,
      requestsPerSocket: limits.requests_per_socket,
      httpRequests: limits.http_requests,
      waitingTurns: limits.waiting_turns,
    },
    tools: new Map(
      Object.entries(tools).map(([name, tool]) => [
        name,
        {
          class: tool.class,
          timeoutMs: tool.timeout_ms,
          approve: tool.approve,
          concurrency: tool.concurrency,
          outputBytes: tool.output_bytes,
        },
      ]),
    ),
    approvalByClass: approve,
    questionMs: Math.round(deadlines.question_minutes * 60_000),
    drainGraceMs: drain.grace_ms,
  };
}

/** What is set for a tool (`math.add`): its own settings, else its toolset's. */
export function settingsOfTool(tools: ReadonlyMap<string, ToolSettings>, toolName: string): ToolSettings {
  const toolset = tools.get(toolName.slice(0, toolName.indexOf('.'))) ?? {};
  const own = tools.get(toolName) ?? {};
  return {
    class: own.class ?? toolset.class,
    timeoutMs: own.timeoutMs ?? toolset.timeoutMs,
    approve: own.approve ?? toolset.approve,
    outputBytes: own.outputBytes ?? toolset.outputBytes,
  };
}

/** Whether a tool's calls wait for a person: what its name says, else its toolset's, else its class's. */
export function approvalOfTool(
  { tools, approvalByClass }: Pick<Settings, 'tools' | 'approvalByClass'>,
  tool: { name: string; class: ToolClass },
): ApprovalMode {
  return settingsOfTool(tools, tool.name).approve ?? approvalByClass[tool.class] ?? 'never';
}
