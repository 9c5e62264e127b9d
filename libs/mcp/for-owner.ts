import { createHash } from 'node:crypto';
import type { McpServer } from './mcp-config.js';
import { OWNER_PLACE } from './owner-variable.js';

/**
 * The configuration of one process or session. An owner is told as 32 hexadecimal digits: fit for a file name, and no
 * id of a person.
 */
export function forOwner(config: McpServer, owner: string): McpServer {
  const digits = createHash('sha256').update(owner).digest('hex').slice(0, 32);
  return replaceIn(config, digits) as McpServer;
}

/** For the connection that only lists tools. */
export function forNobody(config: McpServer): McpServer {
  return replaceIn(config, 'nobody') as McpServer;
}

function replaceIn(value: unknown, owner: string): unknown {
  if (typeof value === 'string') return value.replaceAll(OWNER_PLACE, owner);
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, owner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, owner)]));
}
