import type { IncomingMessage } from 'node:http';
import { parseHost } from '../../http/parse-host.js';
import { readCookies } from '../../http/read-cookies.js';

/** `__Host-`: browsers take it only over TLS, from this very host, for all its paths (RFC 6265bis §4.1.3.2). */
const NAMES = { 'https:': '__Host-switchyard_session', 'http:': 'switchyard_session' } as const;
type Scheme = keyof typeof NAMES;

type Asked = Pick<IncomingMessage, 'headers'>;

/**
 * The scheme with which the browser reaches this server, when a page of this server sent the request: its `Origin` is
 * exactly the address in `Host`. A proxy that ends TLS hides the scheme from this process, the browser tells it.
 */
export function ownScheme({ headers: { origin, host } }: Asked): Scheme | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const { protocol } = new URL(origin);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return parseHost(host, protocol)?.origin === origin ? protocol : undefined;
}

/**
 * The session in a request's cookie, if the request comes from a page of this server. A read need not have an `Origin`;
 * then `Sec-Fetch-Site` must not name another site. A write and an upgrade need it.
 */
export function sessionInCookie(request: Asked, kind: 'read' | 'write'): string | undefined {
  const { cookie, origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (cookie === undefined) return undefined;
  const cookies = readCookies(cookie);
  if (origin !== undefined || kind === 'write') {
    const scheme = ownScheme(request);
    return scheme && cookies.get(NAMES[scheme]);
  }
  if (site !== 'same-origin' && site !== 'none') return undefined;
  return cookies.get(NAMES['https:']) ?? cookies.get(NAMES['http:']);
}

/** For `response.cookie`. */
export function cookieOf(scheme: Scheme) {
  const options = { httpOnly: true, sameSite: 'lax', secure: scheme === 'https:', path: '/' } as const;
  return { name: NAMES[scheme], options };
}

const counted = new WeakMap<IncomingMessage, string>();

/** Records that the request is one for which its session counts. */
export function countSession(request: IncomingMessage, session: string): void {
  counted.set(request, session);
}

/** The session that counts for the request. */
export function countedSession(request: IncomingMessage): string | undefined {
  return counted.get(request);
}
