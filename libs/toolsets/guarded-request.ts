import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface RequestGuard {
  /** `host` or `host:port` that may be requested whatever its address and, with a port, on that port. */
  allow: ReadonlySet<string>;
  /** The operating system's lookup, unless a test replaces the name server. */
  lookup?: typeof systemLookup;
}

/** An obsolete form of IPv4 in IPv6: the agent takes `::7f00:1` as public, in a text and from DNS. */
const IPV4_COMPATIBLE = new BlockList();
IPV4_COMPATIBLE.addSubnet('::', 96, 'ipv6');

const PORTS = new Set(['', '80', '443', '8080', '8443']);

export class ForbiddenTargetError extends Error {
  override name = 'ForbiddenTargetError';
}

/** Throws `ForbiddenTargetError` for a forbidden address, as far as its text shows that. */
export function checkTarget(url: URL, { allow }: RequestGuard): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ForbiddenTargetError('Only addresses that start with http:// or https:// are allowed.');
  if (url.username !== '' || url.password !== '')
    throw new ForbiddenTargetError('A user name or password in the address is not allowed.');
  if (!PORTS.has(url.port) && !allow.has(url.host))
    throw new ForbiddenTargetError(`Port ${url.port} is not allowed.`);
  const address = /^\[(.+)\]$/.exec(url.hostname)?.[1];
  if (address && IPV4_COMPATIBLE.check(address, 'ipv6') && !isAllowed(url, allow)) throw toForbidden(url);
}

/**
 * Sends a request to a public address only. The address is checked when the connection is made, after DNS, so that
 * resolving a name a second time gains an attacker nothing. Loopback, private, link-local, shared, multicast and
 * reserved ranges are refused, also as IPv6 in all of their mappings (ipv4-mapped, NAT64, 6to4, Teredo).
 */
export function sendGuarded(
  url: URL,
  guard: RequestGuard,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
): Promise<IncomingMessage> {
  checkTarget(url, guard);
  const isSecure = url.protocol === 'https:';
  const Agent = isSecure ? RequestFilteringHttpsAgent : RequestFilteringHttpAgent;
  // No connection is reused: each address is checked when its connection is made.
  const agent = isAllowed(url, guard.allow) ? undefined : new Agent({ keepAlive: false });
  const lookup = agent ? refuseCompatible(url, guard.lookup ?? systemLookup) : (guard.lookup ?? systemLookup);
  return new Promise((resolve, reject) => {
    const send = isSecure ? requestHttps : requestHttp;
    const request = send(url, { ...options, agent, lookup, maxHeaderSize: 32 * 1024 });
    request.once('response', resolve);
    request.on('error', (error) => reject(isRefusal(error) ? toForbidden(url) : error));
    request.end();
  });
}

/** Refuses a name with an address of the obsolete form; the agent checks all others. */
function refuseCompatible(url: URL, lookup: typeof systemLookup): typeof systemLookup {
  const judged = (
    hostname: string,
    options: LookupOptions,
    callback: (error: Error | null, found?: string | LookupAddress[], family?: number) => void,
  ): void =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error);
      const refused = found.find(
        ({ address, family }) => family === 6 && IPV4_COMPATIBLE.check(address, 'ipv6'),
      );
      if (refused) return callback(toForbidden(url));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address, found[0]?.family);
    });
  return judged as typeof systemLookup;
}

function isAllowed({ host, hostname }: URL, allow: RequestGuard['allow']): boolean {
  return allow.has(host) || allow.has(hostname);
}

/** Recognises the agent's errors, which have no specific name. */
function isRefusal({ message }: Error): boolean {
  return /^DNS lookup .* is not allowed\. Because/.test(message);
}

/** Leaves out the resolved address, which would reveal the internal network. */
function toForbidden(url: URL): ForbiddenTargetError {
  return new ForbiddenTargetError(`${url.hostname} is not a public address.`);
}
