import { z } from 'zod';
import { toolClassSchema, type ToolClass } from '#contracts';
import { againIfLate, runWithTimeLimit, TimeLimitError } from './run-with-time-limit.js';
import { ToolError, type Tool, type ToolContext, type ToolsetHost } from './tool.port.js';
import { success } from './tool-result.js';

/** A tool that cannot be offered; the message says what to change. */
export class ToolSetupError extends Error {
  override name = 'ToolSetupError';
}

export interface ToolSource<Input extends z.ZodType> {
  /** `^[a-z0-9_]+$`, at most 64 characters: the part of the tool's name behind the toolset's. */
  name: string;
  /** For the model: what it does, and when to use it. */
  description: string;
  /** A `z.strictObject`: unknown arguments are refused. `.describe()` each argument. */
  input: Input;
  /** What may happen when a worker is lost in the middle of a call; see docs/tools.md. */
  class: ToolClass;
  timeoutMs: number;
  /** Returns the result's payload (see `success`), throws `ToolError` for a failure with a type. */
  run(args: z.output<Input>, context: ToolContext): unknown;
}

const NAME = /^[a-z0-9_]{1,64}$/;
/** No delivery is held for longer. */
const MAX_TIMEOUT_MS = 20 * 60_000;
/** Nobody else is served meanwhile. */
const PARSE_LIMIT_MS = 100;

/** A local tool: its arguments' type, JSON Schema and check all come from one zod schema. */
export function defineTool<Input extends z.ZodType>(source: ToolSource<Input>): Tool {
  const { name, description, input, timeoutMs } = source;
  const problem = findProblem(source);
  if (problem) throw new ToolSetupError(`The tool ${JSON.stringify(name)}: ${problem}.`);
  return {
    definition: {
      own_name: name,
      description,
      input_schema: toInputSchema(name, input),
      class: source.class,
      timeout_ms: timeoutMs,
    },
    async run(args, context) {
      return success(await source.run(parse(input, args), context));
    },
  };
}

/** Written in plain JavaScript, too: nothing about the source is sure. */
function findProblem(source: ToolSource<z.ZodType>): string | undefined {
  const { name, description, class: toolClass, timeoutMs, run } = source;
  const problem = findDefinitionProblem({ name, description, class: toolClass, timeoutMs });
  if (problem) return problem;
  return typeof run === 'function' ? undefined : 'run must be a function';
}

/** One wrong word in an announcement, and nothing of it is read: all tools of the worker would be missing. */
export function findDefinitionProblem({
  name,
  description,
  class: toolClass,
  timeoutMs,
}: Record<'name' | 'description' | 'class' | 'timeoutMs', unknown>): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) return 'name must be 1 to 64 of a-z, 0-9 and _';
  if (typeof description !== 'string' || description.trim() === '')
    return 'description must tell the model what the tool does';
  if (!toolClassSchema.safeParse(toolClass).success)
    return `class must be one of ${toolClassSchema.options.join(', ')}`;
  return isTimeout(timeoutMs)
    ? undefined
    : `timeoutMs must be a whole number of milliseconds up to ${MAX_TIMEOUT_MS}`;
}

function isTimeout(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TIMEOUT_MS;
}

function toInputSchema(name: string, input: z.ZodType): Record<string, unknown> {
  let schema: Record<string, unknown>;
  try {
    schema = z.toJSONSchema(input, { io: 'input' });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolSetupError(`The tool "${name}": input cannot be written as a JSON Schema (${reason}).`, {
      cause,
    });
  }
  const { $schema: _dialect, ...input_schema } = schema;
  if (input_schema.type === 'object') return input_schema;
  throw new ToolSetupError(`The tool "${name}": input must be an object, like z.strictObject({ … }).`);
}

/**
 * The schema knows more than its JSON form (refinements, defaults), so the arguments are read by it, too, here on the
 * event loop: whatever its patterns make of them, for no longer than {@link PARSE_LIMIT_MS} each time.
 */
function parse<Input extends z.ZodType>(input: Input, args: unknown): z.output<Input> {
  const parsed = parseInTime(input, args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(issue?.path.join('.') || 'arguments', issue?.message ?? 'does not fit');
}

function parseInTime<Input extends z.ZodType>(input: Input, args: unknown) {
  try {
    return againIfLate(() => runWithTimeLimit(PARSE_LIMIT_MS, () => input.safeParse(args)));
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw invalid(
      'arguments',
      `they take more than ${PARSE_LIMIT_MS} ms to read. Send fewer, shorter or simpler values.`,
    );
  }
}

function invalid(parameter: string, constraint: string): ToolError {
  return new ToolError({
    error_type: 'ValidationError',
    error_message: `${parameter}: ${constraint}`,
    error_details: { parameter, provided_value: null, constraint },
  });
}

interface ToolsetSource {
  /** `^[a-z0-9_]+$` */
  name: string;
  version: string;
  tools: Tool[];
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

/** A local toolset; its tools never change while it runs. */
export function defineToolset({ name, version, tools, start, stop }: ToolsetSource): ToolsetHost {
  checkNames(name, tools);
  return {
    name,
    source: 'local',
    server: name,
    version,
    tools: () => tools,
    start: async () => start?.(),
    onChange: () => undefined,
    stop: async () => stop?.(),
  };
}

function checkNames(toolset: string, tools: readonly Tool[]): void {
  if (!/^[a-z0-9_]{1,40}$/.test(toolset))
    throw new ToolSetupError(
      `The toolset ${JSON.stringify(toolset)}: its name must be 1 to 40 of a-z, 0-9 and _.`,
    );
  const names = tools.map(({ definition }) => definition.own_name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ToolSetupError(`The toolset ${toolset} has two tools named ${twice}.`);
}
