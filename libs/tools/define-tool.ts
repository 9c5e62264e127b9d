import { z } from 'zod';
import { toolClassSchema, type ToolClass } from '#contracts';
import { ValidationError } from './named-errors.js';
import { retryOnTimeLimit, runWithTimeLimit, TimeLimitError } from './run-with-time-limit.js';
import type { ToolAbout } from './tool-about.js';
import type { Tool, ToolContext, ToolsetHost } from './tool.port.js';
import { resultOf } from './tool-answer.js';
import { isVersion } from './versions.js';

/** A tool that cannot be offered; the message says what to change. */
export class ToolSetupError extends Error {
  override name = 'ToolSetupError';
}

export interface ToolSource<Input extends z.ZodType> {
  /** `^[a-z0-9_]+$`, at most 64 characters: the part of the tool's name after the toolset's. */
  name: string;
  /** For the model: what the tool does, and when to use it. */
  description: string;
  /** A `z.strictObject`: unknown arguments are refused. `.describe()` each argument. */
  input: Input;
  /**
   * A `z.object`: what `run` returns. Data that breaks it stays the result, because the effect has happened; the model
   * is told, and it is audited and counted.
   */
  output?: z.ZodType;
  /** What may happen when a worker is lost during a call; see docs/tools.md. */
  class: ToolClass;
  timeoutMs: number;
  /**
   * `major.minor.patch` (https://semver.org): a new major version for a change that breaks calls made for the old one;
   * see docs/tools.md. Default: the toolset's, `1.0.0`.
   */
  version?: string;
  /** For its page (`switchyard tools pages`); models do not get it. */
  about?: ToolAbout;
  /**
   * Returns the result's payload (see `success`) or a `ToolAnswer`, throws `ToolError` for a failure with a type.
   */
  run(args: z.output<Input>, context: ToolContext): unknown;
}

const NAME = /^[a-z0-9_]{1,64}$/;
/** The broker holds no delivery longer than this. */
const MAX_TIMEOUT_MS = 20 * 60_000;
/** The process serves no one else meanwhile. */
const PARSE_LIMIT_MS = 100;

/** A local tool: one zod schema gives its arguments' type, their JSON Schema and their check. */
export function defineTool<Input extends z.ZodType>(source: ToolSource<Input>): Tool {
  const { name, description, input, output, timeoutMs } = source;
  const problem = findProblem(source);
  if (problem) throw new ToolSetupError(`The tool ${JSON.stringify(name)}: ${problem}.`);
  return {
    definition: {
      own_name: name,
      description,
      input_schema: toObjectSchema(name, 'input', input),
      ...(output !== undefined && { output_schema: toObjectSchema(name, 'output', output) }),
      class: source.class,
      timeout_ms: timeoutMs,
      ...(source.version !== undefined && { version: source.version }),
    },
    ...(source.about !== undefined && { about: source.about }),
    async run(args, context) {
      return resultOf(await source.run(parse(input, args), context));
    },
  };
}

/** The source may be plain JavaScript, so nothing about it is certain. */
function findProblem(source: ToolSource<z.ZodType>): string | undefined {
  const { name, description, class: toolClass, timeoutMs, version, run } = source;
  const problem = findDefinitionProblem({ name, description, class: toolClass, timeoutMs, version });
  if (problem) return problem;
  return typeof run === 'function' ? undefined : 'run must be a function';
}

/** One invalid field makes the whole announcement unreadable, and all tools of the worker would be missing. */
export function findDefinitionProblem({
  name,
  description,
  class: toolClass,
  timeoutMs,
  version,
}: Record<'name' | 'description' | 'class' | 'timeoutMs' | 'version', unknown>): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) return 'name must be 1 to 64 of a-z, 0-9 and _';
  if (typeof description !== 'string' || description.trim() === '')
    return 'description must tell the model what the tool does';
  if (!toolClassSchema.safeParse(toolClass).success)
    return `class must be one of ${toolClassSchema.options.join(', ')}`;
  if (version !== undefined && !isVersion(version)) return 'version must be like 1.4.0 (major.minor.patch)';
  return isTimeout(timeoutMs)
    ? undefined
    : `timeoutMs must be a whole number of milliseconds up to ${MAX_TIMEOUT_MS}`;
}

function isTimeout(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TIMEOUT_MS;
}

function toObjectSchema(name: string, io: 'input' | 'output', type: z.ZodType): Record<string, unknown> {
  let schema: Record<string, unknown>;
  try {
    schema = z.toJSONSchema(type, { io });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolSetupError(`The tool "${name}": ${io} cannot be written as a JSON Schema (${reason}).`, {
      cause,
    });
  }
  const { $schema: _dialect, ...objectSchema } = schema;
  if (objectSchema.type === 'object') return objectSchema;
  throw new ToolSetupError(`The tool "${name}": ${io} must be an object, like z.strictObject({ … }).`);
}

/**
 * The schema knows more than its JSON form (refinements, defaults), so it also parses the arguments, here on the event
 * loop. Whatever its patterns do with them, each parse takes at most {@link PARSE_LIMIT_MS}.
 */
function parse<Input extends z.ZodType>(input: Input, args: unknown): z.output<Input> {
  const parsed = parseInTime(input, args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ValidationError(issue?.path.join('.') || 'arguments', issue?.message ?? 'does not fit');
}

function parseInTime<Input extends z.ZodType>(input: Input, args: unknown) {
  try {
    return retryOnTimeLimit(() => runWithTimeLimit(PARSE_LIMIT_MS, () => input.safeParse(args)));
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new ValidationError(
      'arguments',
      `they take more than ${PARSE_LIMIT_MS} ms to read. Send fewer, shorter or simpler values.`,
    );
  }
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
