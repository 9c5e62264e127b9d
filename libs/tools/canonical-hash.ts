import { createHash } from 'node:crypto';
import type { ToolDefinition } from '#contracts';

/** SHA-256 (hex) of a JSON value that does not depend on the order of its keys. At most 32 levels deep. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(value)))
    .digest('hex');
}

/** `hash` of a tool definition: two workers offer the same tool if their hashes agree. */
export function definitionHash(definition: Omit<ToolDefinition, 'hash'>): string {
  return canonicalHash(definition);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}
