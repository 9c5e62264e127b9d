import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { ModelError } from '../model.port.js';
import { readRetryAfterMs } from './retry-after.js';

type Kind = ModelError['kind'];

const MAX_MESSAGE_LENGTH = 500;
const OVERFLOW =
  /prompt is too long|exceeds? (the )?(model's )?(maximum )?context|context (window|limit)|too many tokens/i;
/** A thinking block that the provider does not take back: signed elsewhere, or what stood before it has changed. */
const THINKING_REFUSED = /signature.*thinking|thinking.*(signature|cannot be modified|bound to a different)/i;
const RETRYABLE_STATUSES = [408, 409, 429];

/** What the SDK threw → `ModelError`. No message carries the key. */
export function toModelError(error: unknown, apiKey: string): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return networkError('did not answer in time');
  if (error instanceof APIConnectionError) return networkError(`could not be reached${describeCause(error)}`);
  if (!(error instanceof APIError)) return networkError(`broke off its answer${describeCause(error)}`);
  const said = redact(error.apiMessage ?? '', apiKey);
  const { status, headers } = error as APIError<number | undefined, Headers | undefined>;
  if (status === undefined) return errorInStream(error.type, said);
  const kind = kindOfStatus(status, said);
  const retryable = isRetryableStatus(status) && headers?.get('x-should-retry') !== 'false';
  const retryAfterMs = readRetryAfterMs(headers, Date.now());
  return new ModelError(sentenceFor(kind, status, said), kind, {
    retryable,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The connection ended without `message_stop`. */
export function cutOffError(): ModelError {
  return networkError('broke off its answer before the end');
}

export function isThinkingRefused(error: unknown): boolean {
  return error instanceof APIError && error.status === 400 && THINKING_REFUSED.test(error.apiMessage ?? '');
}

function networkError(what: string): ModelError {
  return new ModelError(`The Anthropic API ${what}.`, 'network', { retryable: true });
}

function errorInStream(type: string | null, said: string): ModelError {
  const kind: Kind =
    type === 'overloaded_error' ? 'overloaded' : type === 'rate_limit_error' ? 'rate_limited' : 'server';
  const why = said || type || 'no reason given';
  return new ModelError(`The Anthropic API broke off its answer: ${why}`, kind, { retryable: true });
}

function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.includes(status) || status >= 500;
}

function kindOfStatus(status: number, said: string): Kind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 529) return 'overloaded';
  if (isRetryableStatus(status)) return 'server';
  return status === 413 || (status === 400 && OVERFLOW.test(said)) ? 'context_overflow' : 'invalid';
}

function sentenceFor(kind: Kind, status: number, said: string): string {
  const reason = said === '' ? '' : `: ${said}`;
  switch (kind) {
    case 'auth':
      return `The Anthropic API refused the key (HTTP ${status}). Set ANTHROPIC_API_KEY to a valid key and restart.`;
    case 'context_overflow':
      return `The conversation is too long for the model (HTTP ${status})${reason}`;
    case 'rate_limited':
      return `The Anthropic API limits the rate of requests (HTTP ${status})${reason}`;
    case 'overloaded':
      return `The Anthropic API is overloaded (HTTP ${status})${reason}`;
    case 'server':
    case 'network':
      return `The Anthropic API failed (HTTP ${status})${reason}`;
    case 'invalid':
      return `The Anthropic API refused the request (HTTP ${status})${reason}`;
  }
}

function redact(text: string, apiKey: string): string {
  const withoutKey = text
    .split(apiKey)
    .join('[key]')
    .replace(/sk-ant-[\w-]+/g, '[key]');
  return withoutKey.slice(0, MAX_MESSAGE_LENGTH);
}

/** The code of the innermost cause (`ECONNREFUSED`, `UND_ERR_SOCKET`): never its text, which may carry a URL. */
function describeCause(error: unknown): string {
  let code: string | undefined;
  for (let cause = error, depth = 0; cause instanceof Object && depth < 5; depth++) {
    const { code: own, cause: next } = cause as { code?: unknown; cause?: unknown };
    if (typeof own === 'string') code = own;
    cause = next;
  }
  return code ? ` (${code})` : '';
}
