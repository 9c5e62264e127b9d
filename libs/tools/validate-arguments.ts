import { createHash } from 'node:crypto';
import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as ajvFormats } from 'ajv-formats';
import { isWithinDepth, type ErrorDetail } from '#contracts';
import { isQuickToCheck, reduceSchema, UnusableSchemaError } from './input-schema.js';
import { againIfHeldUp, runWithTimeLimit, TimeLimitError } from './time-limit.js';
import { toValidationError } from './validation-detail.js';

/**
 * Wall clock for compiling one schema or checking one call. Third-party `pattern`, references that multiply and
 * `uniqueItems` can take for ever; they are kept, with their exact meaning, and interrupted. For a machine that stood
 * still meanwhile they are not blamed.
 */
const TIME_LIMIT_MS = 500;
/** A schema that was interrupted so often is refused without another try. */
const MAX_INTERRUPTIONS = 3;

const OPTIONS = {
  strict: false,
  allErrors: false,
  // Never change what the model said.
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  addUsedSchema: false,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} as const;

/** By the address in `$schema`; without one that is known here the newest. */
const DIALECTS = [
  { name: '7', uris: /\bdraft-0[467]\b/, Validator: Ajv },
  { name: '2019', uris: /\b2019-09\b/, Validator: Ajv2019 },
];
const NEWEST_DIALECT = { name: '2020', Validator: Ajv2020 };

/** What a schema became: a function, or the reason why its tool cannot be called. */
type Compiled = { check: ValidateFunction; isQuick: boolean; interruptions: number } | { unusable: string };

/**
 * Checks arguments against the JSON Schema of a tool: 2020-12 (default), 2019-09, draft 7 and 6. Compiled schemas are
 * cached by content; a full cache starts anew together with the validators, so memory stays bounded.
 */
export class ArgumentValidator {
  private readonly compiled = new Map<string, Compiled>();
  private readonly dialects = new Map<string, Ajv>();

  constructor(private readonly maxCachedSchemas = 500) {}

  /** The reason why a tool with this schema cannot be offered, or undefined. */
  findSchemaProblem(schema: Record<string, unknown>): string | undefined {
    const compiled = this.compile(schema);
    return 'unusable' in compiled ? compiled.unusable : undefined;
  }

  /** Undefined when `args` fit; no coercion, no defaults: `args` is never changed. */
  validate(schema: Record<string, unknown>, args: Record<string, unknown>): ErrorDetail | undefined {
    if (!isWithinDepth(args)) return refuse('The arguments nest too deep.');
    const compiled = this.compile(schema);
    if ('unusable' in compiled) return refuse(compiled.unusable);
    if (compiled.interruptions >= MAX_INTERRUPTIONS)
      return refuse('The input schema takes too long to check.');
    try {
      const check = () => findErrors(compiled.check, args);
      const errors = compiled.isQuick ? check() : againIfHeldUp(() => runWithTimeLimit(TIME_LIMIT_MS, check));
      return errors && toValidationError(errors, args);
    } catch (error) {
      if (error instanceof TimeLimitError) compiled.interruptions++;
      return refuse('The arguments cannot be checked against the input schema.');
    }
  }

  private compile(schema: Record<string, unknown>): Compiled {
    const key = schemaKey(schema);
    const known = this.compiled.get(key);
    if (known) return known;
    if (this.compiled.size >= this.maxCachedSchemas) {
      this.compiled.clear();
      this.dialects.clear();
    }
    const compiled = this.tryToCompile(schema);
    this.compiled.set(key, compiled);
    return compiled;
  }

  private tryToCompile(schema: Record<string, unknown>): Compiled {
    try {
      const reduced = reduceSchema(schema);
      const check = againIfHeldUp(() => this.compileInTime(reduced, schema.$schema));
      return { check, isQuick: isQuickToCheck(reduced), interruptions: 0 };
    } catch (error) {
      if (error instanceof UnusableSchemaError) return { unusable: error.message };
      if (!(error instanceof TimeLimitError))
        return { unusable: 'The input schema is not a valid JSON Schema.' };
      return { unusable: 'The input schema takes too long to compile.' };
    }
  }

  private compileInTime(schema: AnySchemaObject, uri: unknown): ValidateFunction {
    const ajv = this.dialect(uri);
    try {
      return runWithTimeLimit(TIME_LIMIT_MS, () => ajv.compile(schema));
    } catch (error) {
      // Interrupted in the middle of its work, a validator cannot be trusted with the next schema.
      if (error instanceof TimeLimitError) this.dialects.clear();
      throw error;
    }
  }

  private dialect(uri: unknown): Ajv {
    const { name, Validator } = DIALECTS.find(({ uris }) => uris.test(String(uri))) ?? NEWEST_DIALECT;
    const known = this.dialects.get(name);
    if (known) return known;
    const ajv = new Validator(OPTIONS);
    ajvFormats.default(ajv, { mode: 'fast' });
    // Meta-schemas use it on `pattern`; what other languages accept there must not make a tool unusable.
    ajv.addFormat('regex', true);
    // Compiling the meta-schema takes long the first time: not on the clock of the first schema.
    ajv.compile({} satisfies AnySchemaObject);
    this.dialects.set(name, ajv);
    return ajv;
  }
}

/** A pattern that only another language understands says nothing: its server checks it. */
function compilePattern(pattern: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  return /(?:)/;
}

function findErrors(check: ValidateFunction, args: unknown): ErrorObject[] | undefined {
  return check(args) ? undefined : (check.errors ?? []).slice();
}

function schemaKey(schema: Record<string, unknown>): string {
  // A schema too deep to serialise is refused before it could be compiled; they all share one entry.
  if (!isWithinDepth(schema)) return 'too deep';
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64');
}

function refuse(constraint: string): ErrorDetail {
  return {
    error_type: 'ValidationError',
    error_message: constraint,
    error_details: { parameter: 'arguments', provided_value: null, constraint },
  };
}
