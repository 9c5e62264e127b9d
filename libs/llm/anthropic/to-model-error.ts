import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import type { Clock } from '#time';
import {
  describeCause,
  isRetryableStatus,
  networkError,
  quote,
  readRequestedWaitMs,
  sentenceFor,
} from '../port/failed-request.js';
import { ModelError } from '../port/model.port.js';
import { ANTHROPIC_API } from './anthropic-api.js';

type Kind = ModelError['kind'];

const OVERFLOW =
  /prompt is too long|exceeds? (the )?(model's )?(maximum )?context|context (window|limit)|too many tokens/i;
/**
 * A thinking block that the provider does not take back: it was signed elsewhere, or the content before it has changed.
 */
const THINKING_REFUSED = /signature.*thinking|thinking.*(signature|cannot be modified|bound to a different)/i;
const USED_UP = /credit balance is too low|(usage|spend(ing)?) limits?\b/i;
const MAY_BE_USED_UP = [400, 402, 403, 429];
/** Errors in a stream; for any other type a retry does not help. */
const TYPES: Record<string, Kind> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate_limited',
  api_error: 'server',
  timeout_error: 'server',
  billing_error: 'used_up',
  authentication_error: 'auth',
  permission_error: 'auth',
  request_too_large: 'context_overflow',
};
const FINAL: Kind[] = ['used_up', 'auth', 'context_overflow', 'invalid'];

/** Translates an SDK error into a `ModelError`. No message contains the key. */
export function toModelError(error: unknown, apiKey: string, clock: Pick<Clock, 'wall'>): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError)
    return networkError(ANTHROPIC_API, 'did not answer in time');
  if (error instanceof APIConnectionError)
    return networkError(ANTHROPIC_API, `could not be reached${describeCause(error)}`);
  if (!(error instanceof APIError))
    return networkError(ANTHROPIC_API, `broke off its answer${describeCause(error)}`);
  const said = quote(error.apiMessage ?? '', apiKey);
  const { status, headers } = error as APIError;
  if (status === undefined) return errorInStream(error.type, said);
  const kind = kindOfStatus(status, error.type, said);
  const retryable =
    kind !== 'used_up' && isRetryableStatus(status) && headers?.get('x-should-retry') !== 'false';
  const retryAfterMs = readRequestedWaitMs(headers, clock.wall());
  return new ModelError(sentenceFor(ANTHROPIC_API, kind, status, said), kind, {
    retryable,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

export function isThinkingRefused(error: unknown): boolean {
  return error instanceof APIError && error.status === 400 && THINKING_REFUSED.test(error.apiMessage ?? '');
}

function errorInStream(type: string | null, said: string): ModelError {
  const kind = kindInStream(type, said);
  const why = said || type || 'no reason given';
  return new ModelError(`The Anthropic API broke off its answer: ${why}`, kind, {
    retryable: !FINAL.includes(kind),
  });
}

/** An error without a type was itself cut off. */
function kindInStream(type: string | null, said: string): Kind {
  if (USED_UP.test(said)) return 'used_up';
  if (type === 'invalid_request_error' && OVERFLOW.test(said)) return 'context_overflow';
  return type === null ? 'server' : (TYPES[type] ?? 'invalid');
}

function kindOfStatus(status: number, type: string | null, said: string): Kind {
  const isUsedUp = type === 'billing_error' || USED_UP.test(said);
  if (isUsedUp && MAY_BE_USED_UP.includes(status)) return 'used_up';
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 529) return 'overloaded';
  if (isRetryableStatus(status)) return 'server';
  return status === 413 || (status === 400 && OVERFLOW.test(said)) ? 'context_overflow' : 'invalid';
}
