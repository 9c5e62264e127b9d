import { createHash } from 'node:crypto';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { errorDetail, isWithinDepth, type ErrorDetail } from '#contracts';
import { reduceSchema, UnusableSchemaError } from './input-schema.js';
import { costOfSchema } from './schema-cost.js';
import { SchemaCompiler } from './schema-compiler.js';
import { SlowChecks, type SlowCheckEnd, type SlowCheckOptions } from './slow-checks.js';
import { againIfHeldUp, runWithTimeLimit, TimeLimitError } from './time-limit.js';
import { refuseArguments, toValidationError } from './validation-detail.js';

/** Wall clock for compiling one schema; while the machine stands still it is not blamed. */
const COMPILE_LIMIT_MS = 500;
/**
 * Size of a schema times size of the arguments that are checked at once: at worst some 50 ms. Everything else is
 * checked on a thread.
 */
const MAX_PROMPT_WORK = 2 ** 28;
const CHECK_LIMIT_MS = 500;
const RETRY_AFTER_MS = 5_000;

/** What a schema became: what checks it, or the reason why its tool cannot be called. */
type Compiled =
  { reduced: string; dialect: string; cost: number; check: ValidateFunction } | { unusable: string };

/** Whose call of which tool it is. */
export interface CheckedFor {
  user_id: string;
  tool_name: string;
}

const NOBODY: CheckedFor = { user_id: '', tool_name: '' };

export interface ArgumentValidatorOptions {
  maxCachedSchemas?: number;
  /** Told of arguments that could not be checked in time. */
  refusals?: { note(limit: string, about: Record<string, unknown>): void };
  slowChecks?: SlowCheckOptions;
}

/**
 * Checks arguments against the JSON Schema of a tool: 2020-12 (default), 2019-09, draft 7 and 6. What arguments cost is
 * never held against their schema: where the schema does not bound it, they are checked on a thread with a time limit,
 * and refused alone. Compiled schemas are cached by content; a full cache is emptied together with the compiler, so
 * memory stays bounded.
 */
export class ArgumentValidator {
  private readonly compiled = new Map<string, Compiled>();
  /** The same by identity: spares the schemas of a catalogue the hash of their text. */
  private byIdentity = new WeakMap<Record<string, unknown>, Compiled>();
  private readonly compiler = new SchemaCompiler();
  private readonly slowChecks: SlowChecks;
  private readonly limitMs: number;

  constructor(private readonly options: ArgumentValidatorOptions = {}) {
    this.limitMs = options.slowChecks?.limitMs ?? CHECK_LIMIT_MS;
    this.slowChecks = new SlowChecks({ ...options.slowChecks, limitMs: this.limitMs });
  }

  /** The reason why a tool with this schema cannot be offered, or undefined. */
  findSchemaProblem(schema: Record<string, unknown>): string | undefined {
    const compiled = this.compile(schema);
    return 'unusable' in compiled ? compiled.unusable : undefined;
  }

  /**
   * Undefined when `args` fit; no coercion, no defaults: `args` is never changed. Answers at once unless the schema
   * lets a check take long; then it is a promise.
   */
  validate(
    schema: Record<string, unknown>,
    args: Record<string, unknown>,
    by: CheckedFor = NOBODY,
  ): ErrorDetail | undefined | Promise<ErrorDetail | undefined> {
    if (!isWithinDepth(args)) return refuseArguments('The arguments nest too deep.');
    const compiled = this.compile(schema);
    if ('unusable' in compiled) return refuseArguments(compiled.unusable);
    const { reduced, dialect, cost, check } = compiled;
    const text = JSON.stringify(args);
    if (cost * text.length > MAX_PROMPT_WORK)
      return this.slowChecks
        .check(by.user_id, { schema: reduced, dialect, args: text })
        .then((end) => this.toDetail(end, by));
    try {
      const errors = findErrors(check, args);
      return errors && toValidationError(errors, args);
    } catch {
      return refuseArguments(UNCHECKED);
    }
  }

  /** Ends the threads, if there are any. */
  stop(): Promise<void> {
    return this.slowChecks.stop();
  }

  private toDetail(end: SlowCheckEnd, { user_id, tool_name }: CheckedFor): ErrorDetail | undefined {
    if (typeof end === 'object') return end.error;
    if (end === 'failed') return refuseArguments(UNCHECKED);
    const limit = end === 'too_many' ? 'waiting_argument_checks' : 'slow_arguments';
    this.options.refusals?.note(limit, { user_id, tool_name });
    if (end === 'died')
      return refuseArguments('The arguments take too much memory to check. Send fewer or shorter values.');
    if (end === 'too_slow')
      return refuseArguments(
        `The arguments take more than ${this.limitMs} ms to check. Send shorter or simpler values.`,
      );
    const seconds = RETRY_AFTER_MS / 1_000;
    const message = `Too many arguments of your calls wait to be checked. Try again in ${seconds} s.`;
    return errorDetail('ApiLimitExceeded', message, { retry_after_ms: RETRY_AFTER_MS, started: false });
  }

  private compile(schema: Record<string, unknown>): Compiled {
    const found = this.byIdentity.get(schema);
    if (found) return found;
    const key = schemaKey(schema);
    const compiled = this.compiled.get(key) ?? this.remember(key, this.tryToCompile(schema));
    this.byIdentity.set(schema, compiled);
    return compiled;
  }

  private remember(key: string, compiled: Compiled): Compiled {
    if (this.compiled.size >= (this.options.maxCachedSchemas ?? 500)) {
      this.compiled.clear();
      this.byIdentity = new WeakMap();
      this.compiler.clear();
    }
    this.compiled.set(key, compiled);
    return compiled;
  }

  private tryToCompile(schema: Record<string, unknown>): Compiled {
    try {
      const reduced = reduceSchema(schema);
      const dialect = String(schema.$schema);
      const check = againIfHeldUp(() => this.compileInTime(reduced, dialect));
      return { reduced: JSON.stringify(reduced), dialect, cost: costOfSchema(reduced), check };
    } catch (error) {
      if (error instanceof UnusableSchemaError) return { unusable: error.message };
      if (!(error instanceof TimeLimitError))
        return { unusable: 'The input schema is not a valid JSON Schema.' };
      return { unusable: 'The input schema takes too long to compile.' };
    }
  }

  private compileInTime(schema: Record<string, unknown>, dialect: string): ValidateFunction {
    // Its meta-schema takes long the first time: not on the clock of the first schema.
    this.compiler.prepare(dialect);
    try {
      return runWithTimeLimit(COMPILE_LIMIT_MS, () => this.compiler.compile(schema, dialect));
    } catch (error) {
      // Interrupted in the middle of its work, a validator cannot be trusted with the next schema.
      if (error instanceof TimeLimitError) this.compiler.clear();
      throw error;
    }
  }
}

const UNCHECKED = 'The arguments cannot be checked against the input schema.';

function findErrors(check: ValidateFunction, args: unknown): ErrorObject[] | undefined {
  return check(args) ? undefined : (check.errors ?? []).slice();
}

function schemaKey(schema: Record<string, unknown>): string {
  // A schema too deep to serialise is refused before it could be compiled; they all share one entry.
  if (!isWithinDepth(schema)) return 'too deep';
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64');
}
