import {
  completeResult,
  ERROR_TYPES,
  errorDetail,
  errorDetailSchema,
  isObject,
  isWithinDepth,
  toolResultSchema,
  type CompleteResult,
  type ErrorDetail,
  type ErrorType,
  type ToolResult,
} from '#contracts';
import { toPrintable } from './printable.js';
import { ToolConnectionLostError } from './tool.port.js';

/** The maximum nesting of `data` and `error_details`: a message around them stays within the bus's 32. */
export const MAX_DATA_DEPTH = 28;
const MAX_MESSAGE_LENGTH = 8192;
const MAX_DETAILS_LENGTH = 8192;

/** A failed result. */
export function failure(
  type: ErrorType,
  message: string,
  details?: ErrorDetail['error_details'],
): ToolResult {
  return bounded({ status: 'failure', error: errorDetail(type, message, details) });
}

/** A result from the return value of a tool's code: text, number, boolean, array, null or object. */
export function success(payload: unknown, explanation?: string): ToolResult {
  let value: unknown;
  try {
    // Values that JSON would lose or change silently (NaN, BigInt, cycles) must not pass as a result.
    value = JSON.parse(JSON.stringify(payload ?? null, refuseNonFinite) ?? 'null');
  } catch {
    return failure('ToolExecutionError', 'The tool returned a value that is not JSON.');
  }
  const data = toData(value);
  if (!isWithinDepth(data, MAX_DATA_DEPTH)) return tooDeep();
  return { status: 'success', data, ...(explanation === undefined ? {} : { explanation }) };
}

/** There was nothing to do: the state that was asked for was there already. */
export function noChangeNeeded(explanation: string, payload?: unknown): ToolResult {
  const result = success(payload, explanation);
  return result.status === 'success'
    ? { ...result, status: 'no_change_needed', ...(payload === undefined && { data: null }) }
    : result;
}

/** A part of what was asked for is done, and stays done; `error` says why the rest is not. */
export function partialSuccess(payload: unknown, error: ErrorDetail, explanation?: string): ToolResult {
  const result = success(payload, explanation);
  return result.status === 'success' ? { ...result, status: 'partial_success', error } : result;
}

/** Turns a tool's return value into a valid result; anything else, including `status: "banana"`, is a failure. */
export function toToolResult(given: unknown): ToolResult {
  if (!isWithinDepth(given, MAX_DATA_DEPTH + 1)) return tooDeep();
  const parsed = toolResultSchema.safeParse(given);
  if (!parsed.success) return failure('ToolExecutionError', 'The tool returned an invalid result.');
  return bounded(parsed.data);
}

/** The result of a tool that threw. The worker handles lost connections and aborts before it calls this. */
export function toFailure(thrown: unknown): ToolResult {
  const detail = detailOf(thrown);
  if (detail) return bounded({ status: 'failure', error: detail });
  if (thrown instanceof ToolConnectionLostError) return failure('OutcomeUnknown', thrown.message);
  const message = thrown instanceof Error ? thrown.message : '';
  return failure('ToolExecutionError', toPrintable(message) || 'The tool failed without saying why.');
}

/** By its form, not its class: a file of tools may throw the `ToolError` of another copy of this package. */
function detailOf(thrown: unknown): ErrorDetail | undefined {
  if (!(thrown instanceof Error) || !('detail' in thrown)) return undefined;
  return errorDetailSchema.safeParse(thrown.detail).data;
}

function toData(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return { text: value };
  return isObject(value) ? value : { value };
}

/** With an error of a known type, no longer than a result may be, and without what only a worker may say of it. */
function bounded({ output_problem: _notOfATool, ...result }: ToolResult): CompleteResult {
  const { error, explanation } = result;
  return {
    ...completeResult(result),
    error: error ? cleanError(error) : null,
    explanation: explanation == null ? null : cut(explanation),
  };
}

function cleanError({ error_type, error_message, error_details }: ErrorDetail): ErrorDetail {
  const message = cut(error_message) || 'no reason given';
  const details = boundDetails(error_details);
  if ((ERROR_TYPES as readonly string[]).includes(error_type)) {
    return { error_type, error_message: message, ...(details == null ? {} : { error_details: details }) };
  }
  const original_type = toPrintable(error_type, 128);
  const kept = typeof details === 'string' ? { details } : details;
  return {
    error_type: 'ToolExecutionError',
    error_message: message,
    error_details: { ...kept, original_type },
  };
}

function boundDetails(details: ErrorDetail['error_details']): ErrorDetail['error_details'] {
  if (details == null) return undefined;
  if (typeof details === 'string') return cut(details);
  if (!isWithinDepth(details, MAX_DATA_DEPTH)) return undefined;
  const json = JSON.stringify(details);
  return json.length > MAX_DETAILS_LENGTH ? cut(json) : details;
}

function tooDeep(): ToolResult {
  return failure('ToolExecutionError', `The tool's result nests more than ${MAX_DATA_DEPTH} levels.`);
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text;
}

function refuseNonFinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a JSON number');
  return value;
}
