import type { ValidateFunction } from 'ajv';
import { SchemaCompiler } from './schema-compiler.js';
import type { CheckEnd, CheckRequest } from './slow-checks.port.js';
import { toValidationError } from './validation-detail.js';

const MAX_COMPILED = 100;

/** Checks requests in the calling thread, however long a check takes. Keeps up to a hundred compiled schemas. */
export class RequestChecks {
  private readonly compiler = new SchemaCompiler();
  private readonly compiled = new Map<string, ValidateFunction>();

  /** Takes long the first time; afterwards the first check does not have to wait for it. */
  prepare(): void {
    this.compiler.prepare('');
  }

  check({ schema, dialect, args }: CheckRequest): CheckEnd {
    try {
      const check = this.compile(schema, dialect);
      const parsed: unknown = JSON.parse(args);
      return { error: check(parsed) ? undefined : toValidationError(check.errors ?? [], parsed) };
    } catch {
      return 'failed';
    }
  }

  private compile(schema: string, dialect: string): ValidateFunction {
    const key = `${dialect} ${schema}`;
    const known = this.compiled.get(key);
    if (known) return known;
    if (this.compiled.size >= MAX_COMPILED) {
      this.compiled.clear();
      this.compiler.clear();
    }
    const check = this.compiler.compile(JSON.parse(schema) as Record<string, unknown>, dialect);
    this.compiled.set(key, check);
    return check;
  }
}
