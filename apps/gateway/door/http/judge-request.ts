import { parseHost } from '../../http/parse-host.js';

/** The rules for the origin and host of a request. */
export interface RequestOrigin {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  /** The header `Sec-Fetch-Site`. */
  fetchSite: string | undefined;
}

export interface OriginRules {
  /** True when no login is required: then only host names that no page on the internet can have are served. */
  isOpen: boolean;
  allowedHosts: readonly string[];
  corsOrigins: readonly string[];
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
export const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A page on the internet must not drive a laptop (docs/security.md, "A website that a signed-in user visits").
 * The reason of a refusal, undefined if there is none. A page reaches a local server by its own host name (DNS
 * rebinding), from its own origin, or by a form.
 */
export function judgeRequest(
  { method, host, origin, fetchSite }: RequestOrigin,
  rules: OriginRules,
): string | undefined {
  if (rules.isOpen && !isKnownHost(host, rules.allowedHosts)) return 'This host name is not served.';
  if (origin !== undefined)
    return isKnownOrigin(origin, host, rules.corsOrigins) ? undefined : 'This origin is not allowed.';
  if (fetchSite === 'cross-site' && !READING_METHODS.has(method))
    return 'Writes from another site are not allowed.';
  return undefined;
}

function isKnownHost(host: string | undefined, allowedHosts: readonly string[]): boolean {
  const parsed = parseHost(host);
  if (!parsed) return false;
  if (LOOPBACK_NAMES.has(parsed.hostname)) return true;
  return allowedHosts.some((allowed) => {
    const name = allowed.toLowerCase();
    return name === parsed.hostname || name === host?.toLowerCase();
  });
}

function isKnownOrigin(origin: string, host: string | undefined, corsOrigins: readonly string[]): boolean {
  if (corsOrigins.includes(origin)) return true;
  if (!/^https?:\/\/[^/]+$/.test(origin) || !URL.canParse(origin)) return false;
  // The scheme is not compared: behind a proxy that ends TLS this process sees plain HTTP.
  const { protocol, host: originHost } = new URL(origin);
  return parseHost(host, protocol)?.host === originHost;
}
