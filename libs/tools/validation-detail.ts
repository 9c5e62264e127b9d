import type { ErrorObject } from 'ajv';
import { errorDetail, type ErrorDetail } from '#contracts';

const MAX_VALUE_LENGTH = 200;
const MAX_CONSTRAINT_LENGTH = 500;
const MASK = '***';
export const NOT_AN_ARGUMENT = 'is not an argument of this tool';
export const ALL_ARGUMENTS = 'arguments';
const SECRET_NAME =
  /pass(word|wd|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;

/**
 * Turns ajv's errors into the protocol's `ValidationError`: the parameter, its value (cut, secrets masked), the rule.
 */
export function toValidationError(errors: readonly ErrorObject[], args: unknown): ErrorDetail {
  const error = errors.at(-1)!;
  const path = parameterPath(error);
  const parameter = path.join('.').slice(0, MAX_VALUE_LENGTH) || ALL_ARGUMENTS;
  const constraint = describeConstraint(errors).slice(0, MAX_CONSTRAINT_LENGTH);
  return {
    error_type: 'ValidationError',
    error_message: `${parameter}: ${constraint}`,
    error_details: { parameter, provided_value: showValue(path, args), constraint },
  };
}

/** A quoted name and the text after it, as far as it is one value. */
const NAMED_VALUE = /"([^"]+)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g;

/** Unreadable arguments, cut, with values masked whose names look like secrets. */
export function showUnreadable(text: string): string {
  return cut(text).replace(NAMED_VALUE, (whole, name: string, colon: string) =>
    SECRET_NAME.test(name) ? `"${name}"${colon}"${MASK}"` : whole,
  );
}

function parameterPath({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params as Record<
    string,
    unknown
  >;
  const child = keyword === 'dependentRequired' ? missingProperty : (missingProperty ?? additionalProperty);
  const named = child ?? unevaluatedProperty ?? propertyName;
  return typeof named === 'string' ? [...path, named] : path;
}

/** For alternatives, what each of them required at the same place: "must be string or must be null". */
function describeConstraint(errors: readonly ErrorObject[]): string {
  const last = errors.at(-1)!;
  if (last.keyword !== 'anyOf' && last.keyword !== 'oneOf') return describe(last);
  const alternatives = errors.filter(({ instancePath }) => instancePath === last.instancePath).slice(0, -1);
  const described = [...new Set(alternatives.map(describe))].slice(0, 5);
  return described.join(' or ') || describe(last);
}

function describe({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return NOT_AN_ARGUMENT;
  if (keyword === 'enum') {
    const { allowedValues } = params as { allowedValues: unknown[] };
    return `must be one of ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (keyword === 'const')
    return `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}`;
  return message ?? `breaks the rule ${keyword}`;
}

function showValue(path: readonly string[], args: unknown): unknown {
  if (path.some((name) => SECRET_NAME.test(name))) return MASK;
  let value = args;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'object' && value !== null) return cut(JSON.stringify(value, maskSecrets));
  return value;
}

function maskSecrets(name: string, value: unknown): unknown {
  return SECRET_NAME.test(name) ? MASK : value;
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text;
}

/** The error of a call when no single argument is to blame. */
export function refuseArguments(constraint: string): ErrorDetail {
  return errorDetail('ValidationError', constraint, {
    parameter: 'arguments',
    provided_value: null,
    constraint,
  });
}
