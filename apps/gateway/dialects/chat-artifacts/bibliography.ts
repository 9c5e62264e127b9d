import { isObject } from '#contracts';
import { canonicalHash } from '#tools';
import { parseJson } from './json-value.js';

export const BIBLIOGRAPHY_TYPE = 'application/vnd.bibliography';

/** Entries from a list or its JSON; undefined for anything else. */
export function readBibliography(given: unknown): unknown[] | undefined {
  const value = typeof given === 'string' ? parseJson(given) : given;
  return Array.isArray(value) ? (value as unknown[]) : undefined;
}

/** Merges several lists. Of entries with the same `pmid`, or else of equal ones, the first stays. */
export function mergeBibliographies(lists: readonly unknown[][]): unknown[] {
  const entries = new Map<string, unknown>();
  for (const entry of lists.flat()) {
    const key = entryKey(entry);
    if (!entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()];
}

function entryKey(entry: unknown): string {
  const pmid = isObject(entry) ? entry.pmid : undefined;
  const isGiven = (typeof pmid === 'string' && pmid.trim() !== '') || typeof pmid === 'number';
  return isGiven ? `pmid ${String(pmid).trim()}` : canonicalHash(entry);
}
