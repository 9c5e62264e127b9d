import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { Clock } from '#time';
import {
  describeCause,
  isRetryableStatus,
  type NamedProvider,
  networkError,
  quote,
  readRequestedWaitMs,
  RETRYABLE_STATUSES,
  sentenceFor,
} from '../port/failed-request.js';
import { ModelError } from '../port/model.port.js';
import { readDetails, type ErrorBody } from './error-body.js';
import { parseDurationMs, readResetMs } from './reset-times.js';

type Kind = ModelError['kind'];

const OVERFLOW =
  /context_length_exceeded|maximum context length|context (window|length|size)|prompt is too long|input token count.*exceeds|too many tokens|exceeds? .*maximum number of tokens/i;
/** The request exceeds what the account may ever request at once: waiting does not help, a shorter history does. */
const TOO_LARGE_AT_ONCE = /request too large/i;
const NO_CREDIT = /insufficient_quota|billing_hard_limit|insufficient balance|exceeded your monthly/i;
const OVERLOADED = /overload|unavailable|capacity/i;
const MAY_BE_USED_UP = [400, 403, 429];
const DECLINED_CODES = ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation'];
const FINAL: Kind[] = ['context_overflow', 'invalid', 'auth', 'used_up'];

type Failure = APIError<number | undefined, Headers | undefined, ErrorBody | undefined>;

interface Asked {
  provider: NamedProvider;
  apiKey: string;
  clock: Pick<Clock, 'wall'>;
}

/** Translates an SDK error into a `ModelError`. No message contains the key. */
export function toChatError(error: unknown, { provider, apiKey, clock }: Asked): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return networkError(provider, 'did not answer in time');
  if (error instanceof APIConnectionError)
    return networkError(provider, `could not be reached${describeCause(error)}`);
  if (!(error instanceof APIError))
    return networkError(provider, `broke off its answer${describeCause(error)}`);
  const failure = error as Failure;
  const said = quote(saidIn(failure), apiKey);
  return failure.status === undefined
    ? errorInStream(failure, provider, said)
    : errorOfStatus({ failure, status: failure.status, provider, said }, clock);
}

/** The provider's filter refused the question itself. */
export function isDeclined(error: unknown): boolean {
  return error instanceof APIError && DECLINED_CODES.includes(String(error.code));
}

/** The model, or its server, accepts no pictures. */
export function isImageRefused(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  const failure = error as Failure;
  if (failure.status === undefined) return false;
  // An error about rate or key says nothing about the pictures.
  const isAboutRequest = failure.status < 500 && ![401, 403, ...RETRYABLE_STATUSES].includes(failure.status);
  return isAboutRequest && /\bimages?\b|image_url|vision|multimodal/i.test(saidIn(failure));
}

interface FailedRequest {
  failure: Failure;
  status: number;
  provider: NamedProvider;
  said: string;
}

function errorOfStatus(
  { failure, status, provider, said }: FailedRequest,
  clock: Pick<Clock, 'wall'>,
): ModelError {
  const kind = kindOfStatus(failure, status);
  const retryable =
    !FINAL.includes(kind) && isRetryableStatus(status) && failure.headers?.get('x-should-retry') !== 'false';
  const retryAfterMs = retryable ? waitOf(failure, clock) : undefined;
  return new ModelError(sentenceFor(provider, kind, status, said), kind, {
    retryable,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function errorInStream(failure: Failure, { title }: NamedProvider, said: string): ModelError {
  const kind = kindInStream(failure);
  const why = said || failure.type || (failure.code ?? 'no reason given');
  return new ModelError(`The ${title} broke off its answer: ${why}`, kind, {
    retryable: !FINAL.includes(kind),
  });
}

function kindOfStatus(failure: Failure, status: number): Kind {
  const said = saidIn(failure);
  if (status === 402 || (MAY_BE_USED_UP.includes(status) && isUsedUp(failure))) return 'used_up';
  if (status === 401 || status === 403 || readDetails(failure.error).isKeyInvalid) return 'auth';
  if (status === 429 && TOO_LARGE_AT_ONCE.test(said)) return 'context_overflow';
  if (status === 429) return 'rate_limited';
  if (status === 529 || (status === 503 && OVERLOADED.test(said))) return 'overloaded';
  if (isRetryableStatus(status)) return 'server';
  const isOverflow = status === 413 || OVERFLOW.test(`${failure.code} ${said}`);
  return isOverflow ? 'context_overflow' : 'invalid';
}

/** Some servers write an HTTP status as `code`. */
function kindInStream(failure: Failure): Kind {
  const { code } = failure;
  if (/^[45]\d\d$/.test(String(code))) return kindOfStatus(failure, Number(code));
  const words = `${code} ${failure.type} ${String(failure.error?.status)} ${saidIn(failure)}`;
  if (OVERFLOW.test(words)) return 'context_overflow';
  if (isUsedUp(failure)) return 'used_up';
  if (/rate_limit|resource_exhausted/i.test(words)) return 'rate_limited';
  if (OVERLOADED.test(words)) return 'overloaded';
  return /invalid_request/i.test(words) ? 'invalid' : 'server';
}

/** True for a quota that waiting minutes does not restore. */
function isUsedUp(failure: Failure): boolean {
  const words = `${failure.code} ${failure.type} ${saidIn(failure)}`;
  return NO_CREDIT.test(words) || readDetails(failure.error).isDailyQuota;
}

function waitOf({ headers, error, status }: Failure, clock: Pick<Clock, 'wall'>): number | undefined {
  const asked = readRequestedWaitMs(headers, clock.wall());
  if (asked !== undefined || status !== 429) return asked;
  const { retryDelay } = readDetails(error);
  return parseDurationMs(retryDelay) ?? readResetMs(headers);
}

function saidIn({ error }: Failure): string {
  const message: unknown = error?.message;
  return typeof message === 'string' ? message : '';
}
