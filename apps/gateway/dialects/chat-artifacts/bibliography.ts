import { isObject } from '#contracts';
import { canonicalHash } from '#tools';
import { parseJson } from './json-value.js';

export const BIBLIOGRAPHY_TYPE = 'application/vnd.bibliography';

/** Entries from a list or its JSON; undefined for what is none. */
export function readBibliography(given: unknown): unknown[] | undefined {
  const value = typeof given === 'string' ? parseJson(given) : given;
  return Array.isArray(value) ? (value as unknown[]) : undefined;
}

/** One list of several: of entries with one `pmid`, or else of equal ones, the first stays. */
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
