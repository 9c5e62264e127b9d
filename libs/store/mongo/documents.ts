import { isDeepStrictEqual } from 'node:util';
import { COLLECTIONS, type CollectionName, type Rows } from '../port/collections.js';
import { FIELD_KINDS, type FieldKind } from '../port/field-kinds.js';
import { readJson } from '../port/read-json.js';

export type StoredDocument = { _id: string } & Record<string, string | number | null | undefined>;

/** Leaves out undefined fields. Throws on a field that the collection does not know. */
export function toDocument<Name extends CollectionName>(
  name: Name,
  row: Partial<Rows[Name]>,
): StoredDocument {
  const kinds: Record<string, FieldKind> = FIELD_KINDS[name];
  const fields = Object.entries(row).filter(([, value]) => value !== undefined);
  const encode = ([key, value]: [string, unknown]) => {
    if (key !== '_id' && !Object.hasOwn(kinds, key)) throw new TypeError(`${name} has no field ${key}`);
    return [key, kinds[key] === 'json' ? JSON.stringify(value) : value];
  };
  return Object.fromEntries(fields.map(encode)) as StoredDocument;
}

export function toRow<Name extends CollectionName>(name: Name, document: StoredDocument): Rows[Name] {
  const kinds: Record<string, FieldKind> = FIELD_KINDS[name];
  const decode = ([key, value]: [string, unknown]): [string, unknown] => [
    key,
    kinds[key] === 'json' ? readJson(name, value as string) : value,
  ];
  return Object.fromEntries(Object.entries(document).map(decode)) as Rows[Name];
}

/** Whether the stored row is the one that this process inserted, regardless of its caches. */
export function isSameRow<Name extends CollectionName>(
  name: Name,
  stored: Rows[Name],
  mine: Rows[Name],
): boolean {
  const asStored = toRow(name, toDocument(name, mine));
  return isDeepStrictEqual(withoutCaches(name, stored), withoutCaches(name, asStored));
}

function withoutCaches<Name extends CollectionName>(name: Name, row: Rows[Name]): object {
  const caches: readonly string[] = COLLECTIONS[name].caches;
  return Object.fromEntries(Object.entries(row).filter(([key]) => !caches.includes(key)));
}
