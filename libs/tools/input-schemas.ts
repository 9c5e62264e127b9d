import { createHash } from 'node:crypto';
import type { ValidateFunction } from 'ajv';
import { isWithinDepth } from '#contracts';
import { reduceSchema, UnusableSchemaError } from './input-schema.js';
import { SchemaCompiler } from './schema-compiler.js';
import { costOfSchema } from './schema-cost.js';
import { retryOnTimeLimit, runWithTimeLimit, TimeLimitError } from './run-with-time-limit.js';

/** The limit for compiling one schema, by the wall clock; a late compilation is repeated. */
const COMPILE_LIMIT_MS = 500;

/** A compiled schema: its check, or the reason why its tool cannot be called. */
export type CompiledSchema =
  { reduced: string; dialect: string; cost: number; check: ValidateFunction } | { unusable: string };

/**
 * JSON Schemas of tools, compiled: 2020-12 (default), 2019-09, draft 7 and 6. They are cached by content; a full cache
 * is emptied together with the compiler, so memory stays bounded.
 */
export class InputSchemas {
  private readonly compiled = new Map<string, CompiledSchema>();
  /** The same by identity: saves hashing the text of a catalogue's schemas. */
  private byIdentity = new WeakMap<Record<string, unknown>, CompiledSchema>();
  private readonly compiler = new SchemaCompiler();

  constructor(private readonly maxCached = 500) {}

  /** The reason why a tool with this schema cannot be offered, or undefined. */
  findProblem(schema: Record<string, unknown>): string | undefined {
    const compiled = this.compile(schema);
    return 'unusable' in compiled ? compiled.unusable : undefined;
  }

  compile(schema: Record<string, unknown>): CompiledSchema {
    const found = this.byIdentity.get(schema);
    if (found) return found;
    const key = schemaKey(schema);
    const compiled = this.compiled.get(key) ?? this.remember(key, this.tryToCompile(schema));
    this.byIdentity.set(schema, compiled);
    return compiled;
  }

  private remember(key: string, compiled: CompiledSchema): CompiledSchema {
    if (this.compiled.size >= this.maxCached) {
      this.compiled.clear();
      this.byIdentity = new WeakMap();
      this.compiler.clear();
    }
    this.compiled.set(key, compiled);
    return compiled;
  }

  private tryToCompile(schema: Record<string, unknown>): CompiledSchema {
    try {
      const reduced = reduceSchema(schema);
      const dialect = String(schema.$schema);
      const check = retryOnTimeLimit(() => this.compileInTime(reduced, dialect));
      return { reduced: JSON.stringify(reduced), dialect, cost: costOfSchema(reduced), check };
    } catch (error) {
      if (error instanceof UnusableSchemaError) return { unusable: error.message };
      if (!(error instanceof TimeLimitError))
        return { unusable: 'The input schema is not a valid JSON Schema.' };
      return { unusable: 'The input schema takes too long to compile.' };
    }
  }

  private compileInTime(schema: Record<string, unknown>, dialect: string): ValidateFunction {
    // Its meta-schema takes long the first time, which must not count against the first schema.
    this.compiler.prepare(dialect);
    try {
      return runWithTimeLimit(COMPILE_LIMIT_MS, () => this.compiler.compile(schema, dialect));
    } catch (error) {
      // After an interruption a validator cannot be trusted with the next schema.
      if (error instanceof TimeLimitError) this.compiler.clear();
      throw error;
    }
  }
}

function schemaKey(schema: Record<string, unknown>): string {
  // A schema too deep to serialise is refused before it could be compiled; all such schemas share one entry.
  if (!isWithinDepth(schema)) return 'too deep';
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64');
}
