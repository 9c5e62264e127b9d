import { types } from 'node:util';

/** The replacement for a secret. */
const HIDDEN = '***';
/** The maximum number of characters of one logged text; the rest is cut. */
const MAX_TEXT_LENGTH = 8_192;
/** The limits on levels and entries of one logged value: third-party values may be huge. */
const MAX_LOGGED_DEPTH = 6;
const MAX_LOGGED_ENTRIES = 100;

/** Names are compared without case, dashes and underscores. Plural `tokens` is a count, never a secret. */
const SECRET_NAME =
  /(authorization|cookie|token|apikey|accesskey|privatekey|password|passwd|passphrase|secret|credentials?|jwt)$/;

// The repetitions are bounded: unbounded ones are quadratic on hostile text.
const USER_INFO = /(:\/\/)[^\s/]{0,512}@/g;
/** A password with an unescaped slash. */
const USER_INFO_WITH_SLASH = /(:\/\/)[^\s/:@]{1,128}:[^\s@]{0,256}@/g;
const SECRET_PARAMETER =
  /([?&](?:[\w-]{0,32}(?:token|api[_-]?key|password|secret|signature)|key|sig)=)[^&\s#"']+/gi;
const AUTHORIZATION_VALUE = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{12,}/gi;
const PROVIDER_KEY = /\b(sk|pk|rk)-[A-Za-z0-9_-]{8,}/g;
/** Google's keys, the older and the newer form. */
const GOOGLE_KEY = /\b(AIza|AQ\.)[A-Za-z0-9_-]{16,}/g;
const JSON_WEB_TOKEN = /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g;

// eslint-disable-next-line no-control-regex -- terminal colours, which would leave `[31m` behind
const TERMINAL_SEQUENCE = /\u001b\[[0-9;?]*[@-~]/g;
const LINE_BREAK = /[\r\n\t\u2028\u2029]+/g;
/** Control characters, and the marks that reverse the direction of the text around them. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A connection string or URL without its user, password and secret parameters: `amqp://***@host:5672/`. */
export function redactUrl(url: string): string {
  return url
    .replace(USER_INFO, `$1${HIDDEN}@`)
    .replace(USER_INFO_WITH_SLASH, `$1${HIDDEN}@`)
    .replace(SECRET_PARAMETER, `$1${HIDDEN}`);
}

/**
 * Text without anything that looks like a secret: credentials of URLs, authorization values, API keys, JSON Web Tokens.
 */
export function redactText(text: string): string {
  return redactUrl(text)
    .replace(AUTHORIZATION_VALUE, `$1 ${HIDDEN}`)
    .replace(PROVIDER_KEY, `$1-${HIDDEN}`)
    .replace(GOOGLE_KEY, HIDDEN)
    .replace(JSON_WEB_TOKEN, HIDDEN);
}

/** Third-party text as one printable line of at most `maxLength` characters: it can neither forge a line nor drive a terminal. */
export function toPrintableLine(text: string, maxLength = MAX_TEXT_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(TERMINAL_SEQUENCE, '').replace(LINE_BREAK, ' ').replace(UNPRINTABLE, '');
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[-_]/g, ''));
}

/** A printable, bounded copy of `value` without secrets, for a log line. Never throws; cycles end at the depth limit. */
export function redactFields(value: unknown, depth = MAX_LOGGED_DEPTH): unknown {
  if (typeof value === 'string') return redactText(toPrintableLine(value));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (types.isNativeError(value) || value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Array.isArray(value))
    return value.slice(0, MAX_LOGGED_ENTRIES).map((item) => redactFields(item, depth - 1));
  return redactEntries(value instanceof Map ? [...value] : Object.entries(value), depth);
}

function redactEntries(entries: [unknown, unknown][], depth: number): Record<string, unknown> {
  const copies = entries.slice(0, MAX_LOGGED_ENTRIES).map(([key, item]): [string, unknown] => {
    const name = toPrintableLine(String(key), 128);
    const isHidden = isSecretName(name) && item !== null && item !== undefined && typeof item !== 'boolean';
    return [name, isHidden ? HIDDEN : redactFields(item, depth - 1)];
  });
  return Object.fromEntries(copies);
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 20)
    .map((line) => redactText(toPrintableLine(line.trim(), 300)));
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: toPrintableLine(error.name, 128),
    message: redactText(toPrintableLine(error.message)),
    ...(code === undefined ? {} : { code: redactFields(code, 1) }),
    ...(stack.length > 0 ? { stack } : {}),
    ...(error.cause === undefined ? {} : { cause: redactFields(error.cause, depth - 1) }),
  };
}
