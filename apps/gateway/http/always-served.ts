import type { IncomingMessage } from 'node:http';

const PATHS = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Whether a request is exempt from every limit, so that a monitor does not take a full process for a dead one. Only
 * these exact paths are exempt: routes also match other letter case and a trailing slash, but those requests are
 * counted.
 */
export function isAlwaysServed({
  method,
  path,
}: Pick<IncomingMessage, 'method'> & { path: string }): boolean {
  return (method === 'GET' || method === 'HEAD') && PATHS.has(path);
}
