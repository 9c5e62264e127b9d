import type { IncomingMessage } from 'node:http';

const PATHS = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Whether no limit holds for a request: a monitor must not take a full process for a dead one. Only for these exact
 * paths, though routes are also found with other letter case or a slash at the end: everything else is counted.
 */
export function isAlwaysServed({
  method,
  path,
}: Pick<IncomingMessage, 'method'> & { path: string }): boolean {
  return (method === 'GET' || method === 'HEAD') && PATHS.has(path);
}
