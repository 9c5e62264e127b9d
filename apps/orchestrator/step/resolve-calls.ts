import {
  errorDetail,
  type Call,
  type CatalogTool,
  type ErrorDetail,
  type Step,
  type StopReason,
  type Switch,
  type TurnOptions,
} from '#contracts';
import { busNameOf, describeUnknownTool, showUnreadable, type ArgumentValidator } from '#tools';
import { isEndless, namesNoTool, pausedDetail, type Budgets } from '#turn';
import type { AskedCall } from '../ask/step-part.js';
import { refuseExcess } from './excess-calls.js';
import { refuseUnsendable } from './sendable-arguments.js';

/** The rules that decide about the calls of a step. */
export interface CallRules {
  /** Every tool of the turn's catalogue. */
  catalogue: CatalogTool[];
  /** The tools that were offered to the model. */
  offered: CatalogTool[];
  /** The reason why a tool of the catalogue was not offered. */
  whyNotOffered(tool: CatalogTool): string | undefined;
  /** The switch that pauses it, whose reason the model is told. */
  pauseOf(toolName: string): Switch | undefined;
  needsApproval(tool: CatalogTool): boolean;
  /** Roles of those who approve it in place of the turn's user; undefined: the user does. */
  approversOf(toolName: string): readonly string[] | undefined;
  /** Calls of the turn's earlier steps. */
  earlier: readonly Call[];
  /** The limit of a tool that has its own instead of the budget's. */
  identicalCallsOf(tool: CatalogTool): number | undefined;
  /** The arguments to send, made from those that the model gave. */
  completeArguments(
    tool: CatalogTool,
    args: Record<string, unknown> | undefined,
  ): Record<string, unknown> | undefined;
  validator: ArgumentValidator;
  /** The user of the turn. */
  userId: string;
  /** The limits that the row fixes for its calls, so that every process that reads it decides the same. */
  budgets: Pick<Budgets, 'queueingMs' | 'approvalMs' | 'callAttempts' | 'identicalCalls' | 'thinkingCalls'>;
  /** Ms since epoch. */
  now: number;
}

const REFUSED_TIMEOUT_MS = 1;

/** The model's calls as calls of the step's row. A call that must not be sent carries its refusal. */
export async function resolveCalls(
  asked: AskedCall[],
  stopReason: StopReason,
  rules: CallRules,
): Promise<Call[]> {
  const resolved: Call[] = [];
  for (const [i, call] of asked.entries()) {
    // The provider stopped inside the last call, so its arguments may be incomplete even if they parsed.
    const isCutOff = stopReason === 'max_tokens' && i === asked.length - 1;
    const before = [...rules.earlier, ...resolved];
    resolved.push(await resolveCall(call, isCutOff, { ...rules, earlier: before }));
  }
  return resolved;
}

/** Refuses the calls of a turn that ends because it asked for the same calls three times in a row. */
export function refuseEndless(calls: Call[], steps: readonly Step[]): Call[] {
  if (!isEndless(steps, calls)) return calls;
  const message = 'The same calls for the third time in a row. They were not run again.';
  const refusal = errorDetail('Cancelled', message, { started: false });
  // A tool that does not exist stays one: only its refusal says that the call's name is the model's words.
  return calls.map((call) => {
    const { expires_at: _expires, approvers: _approvers, ...rest } = call;
    return { ...rest, approval: 'none', refusal: namesNoTool(call) ? call.refusal : refusal };
  });
}

/** Adds the turn's files to the arguments of a tool that accepts them. The model does not see them. */
export function withDataFiles(
  tool: CatalogTool,
  args: Record<string, unknown> | undefined,
  { data_files = [] }: TurnOptions,
): Record<string, unknown> | undefined {
  const { properties } = tool.input_schema;
  const takesFiles = typeof properties === 'object' && properties !== null && 'dataFiles' in properties;
  if (!args || !takesFiles || data_files.length === 0) return args;
  return { ...args, dataFiles: Object.fromEntries(data_files.map(({ name, file }) => [name, file])) };
}

/** `rules.earlier` also has the calls of this step before this one. */
async function resolveCall(given: AskedCall, isCutOff: boolean, rules: CallRules): Promise<Call> {
  const { tool_call_id } = given;
  const tool = findTool(given.name, rules.catalogue);
  if (!tool) return unknownCall(given, rules);
  const completed = { ...given, arguments: rules.completeArguments(tool, given.arguments) };
  const unsendable = completed.arguments && refuseUnsendable(completed.arguments, rules.userId);
  // If the completed arguments are too large for a message, they are too large for a row, too.
  const asked = unsendable ? given : completed;
  const refusal = unsendable ?? (await refuse(asked, isCutOff, tool, rules));
  const needsApproval = !refusal && rules.needsApproval(tool);
  const { budgets, now } = rules;
  const approvers = needsApproval ? rules.approversOf(tool.name) : undefined;
  return {
    tool_call_id,
    tool_name: tool.name,
    display_name: tool.display_name,
    source: tool.source,
    arguments: asked.arguments ?? {},
    class: tool.class,
    timeout_ms: tool.timeout_ms,
    approval: needsApproval ? 'required' : 'none',
    ...(needsApproval ? { expires_at: new Date(now + budgets.approvalMs).toISOString() } : {}),
    ...(approvers && { approvers: [...approvers] }),
    queueing_ms: budgets.queueingMs,
    max_attempts: budgets.callAttempts,
    ...(tool.version === undefined ? {} : { tool_version: tool.version }),
    ...(refusal ? { refusal } : {}),
  };
}

async function refuse(
  asked: AskedCall,
  isCutOff: boolean,
  tool: CatalogTool,
  rules: CallRules,
): Promise<ErrorDetail | undefined> {
  const pause = rules.pauseOf(tool.name);
  if (pause) return pausedDetail(tool.name, pause, { wasClaimed: false });
  const reason = rules.whyNotOffered(tool);
  if (reason !== undefined) return errorDetail('PermissionError', `${reason} It was not run.`);
  if (isCutOff) {
    const message = 'The arguments were cut off by the output limit; nothing was run.';
    return unreadable(message, null, 'complete arguments');
  }
  if (!asked.arguments) {
    const message = 'The arguments are not a JSON object; nothing was run.';
    return unreadable(message, showUnreadable(asked.raw), 'JSON object');
  }
  const limits = {
    identicalCalls: rules.identicalCallsOf(tool) ?? rules.budgets.identicalCalls,
    thinkingCalls: rules.budgets.thinkingCalls,
  };
  return (
    refuseExcess({ tool_name: tool.name, arguments: asked.arguments }, rules.earlier, limits) ??
    rules.validator.validate(tool.input_schema, asked.arguments, {
      user_id: rules.userId,
      tool_name: tool.name,
    })
  );
}

function unreadable(message: string, provided_value: string | null, constraint: string): ErrorDetail {
  return errorDetail('ValidationError', message, { parameter: 'arguments', provided_value, constraint });
}

function findTool(name: string, catalogue: CatalogTool[]): CatalogTool | undefined {
  const busName = busNameOf(name, catalogue);
  return catalogue.find((tool) => tool.name === busName);
}

/** Similar names are suggested to the model, never used silently. */
function unknownCall(asked: AskedCall, rules: CallRules): Call {
  const { message, suggestions } = describeUnknownTool(asked.name, rules.offered);
  return {
    tool_call_id: asked.tool_call_id,
    tool_name: unknownName(asked.name),
    display_name: asked.name.slice(0, 128),
    source: 'local',
    arguments: asked.arguments ?? {},
    class: 'once',
    timeout_ms: REFUSED_TIMEOUT_MS,
    approval: 'none',
    refusal: errorDetail('ToolNotFound', message, { suggestions }),
  };
}

/** A bus name for people and logs: the model's name in the spelling of the bus. */
function unknownName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/__/g, '.')
    .replace(/[^a-z0-9_.]/g, '_')
    .slice(0, 100);
  const parts = plain.split('.').filter((part) => part !== '');
  return parts.length > 1 ? parts.join('.') : `unknown.${parts[0] ?? 'tool'}`;
}
