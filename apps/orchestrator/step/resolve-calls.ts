import {
  errorDetail,
  type Call,
  type CatalogTool,
  type ErrorDetail,
  type Step,
  type StopReason,
  type TurnOptions,
} from '#contracts';
import { busNameOf, describeUnknownTool, showUnreadable, type ArgumentValidator } from '#tools';
import { isEndless, type Budgets } from '#turn';
import { refuseExcess } from './excess-calls.js';
import { refuseUnsendable } from './sendable-arguments.js';
import type { AskedCall } from '../ask/step-part.js';

/** What decides about the calls of a step. */
export interface CallRules {
  /** Every tool of the turn's catalogue. */
  catalogue: CatalogTool[];
  /** What the model was offered. */
  offered: CatalogTool[];
  /** Of a tool of the catalogue. */
  whyNotOffered(tool: CatalogTool): string | undefined;
  needsApproval(tool: CatalogTool): boolean;
  /** Calls of the turn's earlier steps. */
  earlier: readonly Call[];
  /** Of a tool that has its own limit instead of the budget's. */
  identicalCallsOf(tool: CatalogTool): number | undefined;
  /** What is sent of the arguments that the model gave. */
  completeArguments(
    tool: CatalogTool,
    args: Record<string, unknown> | undefined,
  ): Record<string, unknown> | undefined;
  validator: ArgumentValidator;
  /** Whose turn it is. */
  userId: string;
  /** What the row fixes for its calls, so that everybody who reads it decides the same. */
  budgets: Pick<Budgets, 'queueingMs' | 'approvalMs' | 'callAttempts' | 'identicalCalls' | 'thinkingCalls'>;
  /** Ms since epoch. */
  now: number;
}

const REFUSED_TIMEOUT_MS = 1;

/** What the model asked for as calls of the step's row. What must not be sent carries its refusal. */
export async function resolveCalls(
  asked: AskedCall[],
  stopReason: StopReason,
  rules: CallRules,
): Promise<Call[]> {
  const resolved: Call[] = [];
  for (const [i, call] of asked.entries()) {
    // The provider stopped inside the last one: whatever parsed may be half of what was meant.
    const isCutOff = stopReason === 'max_tokens' && i === asked.length - 1;
    const before = [...rules.earlier, ...resolved];
    resolved.push(await resolveCall(call, isCutOff, { ...rules, earlier: before }));
  }
  return resolved;
}

/** For a turn whose loop ends with the same calls for the third time in a row: these are not run. */
export function refuseEndless(calls: Call[], steps: readonly Step[]): Call[] {
  if (!isEndless(steps, calls)) return calls;
  const message = 'The same calls for the third time in a row. They were not run again.';
  const refusal = errorDetail('Cancelled', message, { started: false });
  return calls.map(({ expires_at: _expires, ...call }) => ({ ...call, approval: 'none', refusal }));
}

/** What the tool takes of the turn's files, as its own argument; the model knows nothing of them. */
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

/** `rules.earlier` has the calls of this step before it as well. */
async function resolveCall(given: AskedCall, isCutOff: boolean, rules: CallRules): Promise<Call> {
  const { tool_call_id } = given;
  const tool = findTool(given.name, rules.catalogue);
  if (!tool) return unknownCall(given, rules);
  const completed = { ...given, arguments: rules.completeArguments(tool, given.arguments) };
  const unsendable = completed.arguments && refuseUnsendable(completed.arguments, rules.userId);
  // What was completed into something too large for a message is too large for a row, too.
  const asked = unsendable ? given : completed;
  const refusal = unsendable ?? (await refuse(asked, isCutOff, tool, rules));
  const needsApproval = !refusal && rules.needsApproval(tool);
  const { budgets, now } = rules;
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
    queueing_ms: budgets.queueingMs,
    max_attempts: budgets.callAttempts,
    ...(refusal ? { refusal } : {}),
  };
}

async function refuse(
  asked: AskedCall,
  isCutOff: boolean,
  tool: CatalogTool,
  rules: CallRules,
): Promise<ErrorDetail | undefined> {
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

/** Close names are told to the model, never silently used. */
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

/** A bus name for people and logs: what the model wrote, in the bus's spelling. */
function unknownName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/__/g, '.')
    .replace(/[^a-z0-9_.]/g, '_')
    .slice(0, 100);
  const parts = plain.split('.').filter((part) => part !== '');
  return parts.length > 1 ? parts.join('.') : `unknown.${parts[0] ?? 'tool'}`;
}
