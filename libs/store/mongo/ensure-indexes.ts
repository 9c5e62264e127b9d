import type { Connection, Model } from 'mongoose';
import { COLLECTION_NAMES, COLLECTIONS, type CollectionName } from '../port/collections.js';
import { StoreSetupError, StoreUnavailableError } from '../port/store-errors.js';
import type { Missing } from '../port/store.port.js';
import type { StoredDocument } from './documents.js';
import { translateMongoError } from './mongo-errors.js';

/**
 * Creates the collection and its missing indexes. Throws `StoreSetupError` when a unique index is missing afterwards.
 */
export async function ensureIndexes(model: Model<StoredDocument>, name: CollectionName): Promise<void> {
  const { unique, uniqueIfPresent = [], indexes } = COLLECTIONS[name];
  await model.createCollection();
  for (const fields of indexes) await model.collection.createIndex(toKey(fields), {}, {});
  for (const fields of unique) await createUniqueIndex(model, name, fields);
  for (const field of uniqueIfPresent) await createUniqueIndex(model, name, [field], { sparse: true });
  const existing = (await model.collection.listIndexes().toArray()) as IndexDescription[];
  for (const fields of [...unique, ...uniqueIfPresent.map((field) => [field])]) {
    if (!existing.some((index) => isUniqueOver(index, fields)))
      throw new StoreSetupError(`MongoDB lacks ${describe(name, fields)}.`);
  }
}

/** What `ensureIndexes` would create or complain of. */
export async function findMissing(database: NonNullable<Connection['db']>): Promise<Missing[]> {
  const missing: Missing[] = [];
  const collections = new Set(
    (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
  );
  for (const name of COLLECTION_NAMES)
    if (!collections.has(name)) missing.push({ kind: 'collection', name });
    else missing.push(...(await missingIndexes(database, name)));
  return missing;
}

async function missingIndexes(
  database: NonNullable<Connection['db']>,
  name: CollectionName,
): Promise<Missing[]> {
  const { unique, uniqueIfPresent = [], indexes } = COLLECTIONS[name];
  const existing = (await database.collection(name).listIndexes().toArray()) as IndexDescription[];
  const has = (fields: string[]) =>
    existing.some(({ key }) => JSON.stringify(key) === JSON.stringify(toKey(fields)));
  const nameOf = (fields: string[]) => `${name} (${fields.join(', ')})`;
  return [
    ...[...unique, ...uniqueIfPresent.map((field) => [field])]
      .filter((fields) => !existing.some((index) => isUniqueOver(index, fields)))
      .map((fields) => ({ kind: 'unique_index' as const, name: nameOf(fields) })),
    ...indexes
      .filter((fields) => !has(fields))
      .map((fields) => ({ kind: 'index' as const, name: nameOf(fields) })),
  ];
}

async function createUniqueIndex(
  model: Model<StoredDocument>,
  name: CollectionName,
  fields: string[],
  options: { sparse?: true } = {},
): Promise<void> {
  try {
    await model.collection.createIndex(toKey(fields), { unique: true, ...options }, {});
  } catch (cause) {
    if (isRefusal(cause)) {
      const advice = 'remove documents that violate it, or another index over the same fields';
      throw new StoreSetupError(`MongoDB cannot create ${describe(name, fields)}: ${advice}.`, { cause });
    }
    throw cause;
  }
}

/** True for duplicate keys, or an index with the same name or keys but other options. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    [11000, 85, 86].includes(code as number) || !(translateMongoError(error) instanceof StoreUnavailableError)
  );
}

interface IndexDescription {
  key?: object;
  unique?: boolean;
  partialFilterExpression?: object;
}

function isUniqueOver({ key, unique, partialFilterExpression }: IndexDescription, fields: string[]): boolean {
  const isSame = JSON.stringify(key) === JSON.stringify(toKey(fields));
  return isSame && unique === true && partialFilterExpression === undefined;
}

function toKey(fields: string[]): Record<string, 1> {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}

function describe(name: CollectionName, fields: string[]): string {
  return `the unique index on ${name} (${fields.join(', ')})`;
}
