import { ModelError } from './model.port.js';

/** A provider, as error messages name it. */
export interface NamedProvider {
  /** "Anthropic API". */
  title: string;
  /** The variable with its key, if it has one. */
  keyVariable?: string;
}

const MAX_MESSAGE_LENGTH = 500;
const KEY_FORMS = /\b(?:sk|pk|rk)-[\w-]{4,}|\bAIza[\w-]{10,}|\bAQ\.[\w-]{10,}/g;

/** The provider's message, short and without a key. */
export function quote(text: string, apiKey: string): string {
  const withoutKey = apiKey === '' ? text : text.split(apiKey).join('[key]');
  return withoutKey.replace(KEY_FORMS, '[key]').slice(0, MAX_MESSAGE_LENGTH);
}

/** The code of the innermost cause (`ECONNREFUSED`, `UND_ERR_SOCKET`), never its text, which may contain a URL. */
export function describeCause(error: unknown): string {
  let code: string | undefined;
  for (let cause = error, depth = 0; typeof cause === 'object' && cause !== null && depth < 5; depth++) {
    const { code: own, cause: next } = cause as { code?: unknown; cause?: unknown };
    if (typeof own === 'string') code = own;
    cause = next;
  }
  return code ? ` (${code})` : '';
}

/** `what` completes the sentence "The … API …". */
export function networkError(provider: NamedProvider, what: string): ModelError {
  return new ModelError(`The ${provider.title} ${what}.`, 'network', { retryable: true });
}

/** The connection ended before the answer did. */
export function cutOffError(provider: NamedProvider): ModelError {
  return networkError(provider, 'broke off its answer before the end');
}

/** Temporary statuses below 500. */
export const RETRYABLE_STATUSES = [408, 409, 429];

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.includes(status) || status >= 500;
}

/** One sentence for a person about an HTTP answer that is an error; `said` has gone through `quote`. */
export function sentenceFor(
  { title, keyVariable }: NamedProvider,
  kind: ModelError['kind'],
  status: number,
  said: string,
): string {
  const reason = said === '' ? '' : `: ${said}`;
  switch (kind) {
    case 'auth': {
      const todo = keyVariable ? ` Set ${keyVariable} to a valid key and restart.` : '';
      return `The ${title} refused the key (HTTP ${status}).${todo}`;
    }
    case 'context_overflow':
      return `The conversation is too long for the model (HTTP ${status})${reason}`;
    case 'rate_limited':
      return `The ${title} limits the rate of requests (HTTP ${status})${reason}`;
    case 'used_up':
      return `The account of the ${title} has no quota or credit left (HTTP ${status})${reason}`;
    case 'overloaded':
      return `The ${title} is overloaded (HTTP ${status})${reason}`;
    case 'server':
    case 'network':
      return `The ${title} failed (HTTP ${status})${reason}`;
    case 'invalid':
      return `The ${title} refused the request (HTTP ${status})${reason}`;
  }
}

/** How long the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function readRequestedWaitMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const exactMs = toNumber(headers?.get('retry-after-ms'));
  if (exactMs !== undefined) return exactMs;
  const header = headers?.get('retry-after');
  const seconds = toNumber(header);
  if (seconds !== undefined) return Math.round(seconds * 1_000);
  const dateMs = header ? Date.parse(header) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function toNumber(text: string | null | undefined): number | undefined {
  return text && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
