import type { ErrorObject, ValidateFunction } from 'ajv';
import { errorDetail, isWithinDepth, type ErrorDetail } from '#contracts';
import { InputSchemas } from './input-schemas.js';
import type { SlowCheckEnd, SlowChecks } from './slow-checks.port.js';
import { refuseArguments, toValidationError } from './validation-detail.js';

/**
 * The limit on schema size times argument size for an immediate check: at worst some 50 ms. All other checks are left
 * to the slow checks.
 */
const MAX_PROMPT_WORK = 2 ** 28;
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
 * Checks arguments against the JSON Schema of a tool. Expensive arguments never count against their schema: where the
 * schema does not bound the cost, they are checked separately, with a time limit, and only they are refused.
 */
export class ArgumentValidator {
  private readonly schemas: InputSchemas;

  constructor(private readonly options: ArgumentValidatorOptions) {
    this.schemas = options.schemas ?? new InputSchemas();
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
    if (!isWithinDepth(args)) return refuseArguments('The arguments are nested too deeply.');
    const compiled = this.schemas.compile(schema);
    if ('unusable' in compiled) return refuseArguments(compiled.unusable);
    const { reduced, dialect, cost, check } = compiled;
    const text = JSON.stringify(args);
    if (cost * text.length > MAX_PROMPT_WORK)
      return this.options.slowChecks
        .check(by.user_id, { schema: reduced, dialect, args: text })
        .then((end) => this.toDetail(end, by));
    try {
      const errors = findErrors(check, args);
      return errors && toValidationError(errors, args);
    } catch {
      return refuseArguments(UNCHECKED);
    }
  }

  private toDetail(end: SlowCheckEnd, { user_id, tool_name }: CheckedFor): ErrorDetail | undefined {
    if (typeof end === 'object') return end.error;
    if (end === 'failed') return refuseArguments(UNCHECKED);
    const { refusals, slowChecks } = this.options;
    const limit = end === 'too_many' ? 'waiting_argument_checks' : 'slow_arguments';
    refusals.note(limit, { user_id, tool_name });
    if (end === 'died')
      return refuseArguments('The arguments take too much memory to check. Send fewer or shorter values.');
    if (end === 'too_slow')
      return refuseArguments(
        `The arguments take more than ${slowChecks.limitMs} ms to check. Send shorter or simpler values.`,
      );
    const seconds = RETRY_AFTER_MS / 1_000;
    const message = `Too many arguments of your calls are waiting to be checked. Try again in ${seconds} s.`;
    return errorDetail('ApiLimitExceeded', message, { retry_after_ms: RETRY_AFTER_MS, started: false });
  }
}

const UNCHECKED = 'The arguments cannot be checked against the input schema.';

function findErrors(check: ValidateFunction, args: unknown): ErrorObject[] | undefined {
  return check(args) ? undefined : (check.errors ?? []).slice();
}
