import { isWithinDepth } from '#contracts';
import { InputSchemas } from './input-schemas.js';
import type { SlowCheckEnd, SlowChecks } from './slow-checks.port.js';
import { toValidationError } from './validation-detail.js';

/**
 * The limit on schema size times value size for an immediate check: at worst some 50 ms. All other checks are left to
 * the slow checks.
 */
const MAX_PROMPT_WORK = 2 ** 28;

/** How a value was checked: see `SlowCheckEnd`, or why it could not be. */
export type Checked = SlowCheckEnd | 'too_deep' | { unusable: string };

/**
 * Checks values against JSON Schemas of third parties. Expensive values never count against their schema: where the
 * schema does not bound the cost, they are checked separately, with a time limit.
 */
export class SchemaChecks {
  private readonly schemas: InputSchemas;

  constructor(private readonly options: { slowChecks: SlowChecks; schemas?: InputSchemas }) {
    this.schemas = options.schemas ?? new InputSchemas();
  }

  /**
   * No coercion, no defaults: the value is never changed. Answers at once, or returns a promise, which never rejects,
   * if the schema allows a check to take long. `userId`: whose check it is; users take turns.
   */
  check(
    schema: Record<string, unknown>,
    value: Record<string, unknown>,
    userId: string,
  ): Checked | Promise<Checked> {
    if (!isWithinDepth(value)) return 'too_deep';
    const compiled = this.schemas.compile(schema);
    if ('unusable' in compiled) return compiled;
    const { reduced, dialect, cost, check } = compiled;
    const text = JSON.stringify(value);
    if (cost * text.length > MAX_PROMPT_WORK)
      return this.options.slowChecks.check(userId, { schema: reduced, dialect, args: text });
    try {
      return { error: check(value) ? undefined : toValidationError((check.errors ?? []).slice(), value) };
    } catch {
      return 'failed';
    }
  }
}
