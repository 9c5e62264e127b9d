import { errorDetail, type ErrorDetail } from '#contracts';
import type { InputSchemas } from './input-schemas.js';
import { SchemaChecks, type Checked } from './schema-checks.js';
import type { SlowChecks } from './slow-checks.port.js';
import { refuseArguments } from './validation-detail.js';

const RETRY_AFTER_MS = 5_000;

/** The user and the tool of the call. */
export interface CheckedFor {
  user_id: string;
  tool_name: string;
}

const NOBODY: CheckedFor = { user_id: '', tool_name: '' };

export interface ArgumentValidatorOptions {
  slowChecks: SlowChecks;
  /** Notified of arguments that could not be checked in time. */
  refusals: { note(limit: string, about: Record<string, unknown>): void };
  schemas?: InputSchemas;
}

/**
 * Checks arguments against the JSON Schema of a tool. Only arguments that cannot be checked in time are refused, never
 * their schema.
 */
export class ArgumentValidator {
  private readonly checks: SchemaChecks;

  constructor(private readonly options: ArgumentValidatorOptions) {
    this.checks = new SchemaChecks(options);
  }

  /**
   * Undefined when `args` fit; no coercion, no defaults: `args` is never changed. Answers at once, or returns a promise
   * if the schema allows a check to take long.
   */
  validate(
    schema: Record<string, unknown>,
    args: Record<string, unknown>,
    by: CheckedFor = NOBODY,
  ): ErrorDetail | undefined | Promise<ErrorDetail | undefined> {
    const checked = this.checks.check(schema, args, by.user_id);
    return checked instanceof Promise
      ? checked.then((end) => this.toDetail(end, by))
      : this.toDetail(checked, by);
  }

  private toDetail(checked: Checked, { user_id, tool_name }: CheckedFor): ErrorDetail | undefined {
    if (checked === 'too_deep') return refuseArguments('The arguments are nested too deeply.');
    if (checked === 'failed')
      return refuseArguments('The arguments cannot be checked against the input schema.');
    if (typeof checked === 'object')
      return 'unusable' in checked ? refuseArguments(checked.unusable) : checked.error;
    const { refusals, slowChecks } = this.options;
    const limit = checked === 'too_many' ? 'waiting_argument_checks' : 'slow_arguments';
    refusals.note(limit, { user_id, tool_name });
    if (checked === 'died')
      return refuseArguments('The arguments take too much memory to check. Send fewer or shorter values.');
    if (checked === 'too_slow')
      return refuseArguments(
        `The arguments take more than ${slowChecks.limitMs} ms to check. Send shorter or simpler values.`,
      );
    const seconds = RETRY_AFTER_MS / 1_000;
    const message = `Too many arguments of your calls are waiting to be checked. Try again in ${seconds} s.`;
    return errorDetail('ApiLimitExceeded', message, { retry_after_ms: RETRY_AFTER_MS, started: false });
  }
}
