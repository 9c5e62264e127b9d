import { isSchema, type JsonSchema } from './json-schema.js';

/** The target of a reference within the document; undefined for one that leads nowhere or out of it. */
export function resolveReference(root: JsonSchema, reference: unknown): JsonSchema | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  const pointer = decode(reference.slice(1));
  if (pointer === '') return root;
  if (pointer === undefined || !pointer.startsWith('/')) return undefined;
  let value: unknown = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return isSchema(value) ? value : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
