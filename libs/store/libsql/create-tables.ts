import type Database from 'libsql';
import { COLLECTION_NAMES, COLLECTIONS, type CollectionName } from '../port/collections.js';
import { StoreSetupError } from '../port/store-errors.js';
import type { Missing } from '../port/store.port.js';

/**
 * Creates missing tables, columns and indexes. Throws `StoreSetupError` when a unique index is still missing
 * afterwards.
 */
export function createTables(database: Database.Database): void {
  for (const table of COLLECTION_NAMES) {
    // Columns without a type store a value unchanged: '007' stays text.
    const columns = [
      '_id TEXT NOT NULL PRIMARY KEY',
      ...indexedColumns(table).map(quote),
      'row TEXT NOT NULL',
    ];
    database.exec(`CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')})`);
    addMissingColumns(database, table);
    for (const index of COLLECTIONS[table].indexes) database.exec(createIndex('INDEX', table, index));
    const { unique, uniqueIfPresent = [] } = COLLECTIONS[table];
    // Rows that lack a field have NULL there, and a unique index allows any number of NULLs.
    for (const index of [...unique, ...uniqueIfPresent.map((field) => [field])])
      createUniqueIndex(database, table, index);
  }
}

/** What `createTables` would create or complain of. */
export function findMissing(database: Database.Database): Missing[] {
  return COLLECTION_NAMES.flatMap((table): Missing[] => {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all();
    if (columns.length === 0) return [{ kind: 'collection', name: table }];
    const { unique, uniqueIfPresent = [], indexes } = COLLECTIONS[table];
    const uniques = [...unique, ...uniqueIfPresent.map((field) => [field])];
    const existing = database.prepare(`PRAGMA index_list(${table})`).all() as IndexInfo[];
    const has = (index: string[]) => existing.some(({ name }) => name === indexName(table, index));
    const nameOf = (index: string[]) => `${table} (${index.join(', ')})`;
    return [
      ...uniques
        .filter((index) => !hasUniqueIndex(database, table, index))
        .map((index) => ({ kind: 'unique_index' as const, name: nameOf(index) })),
      ...indexes
        .filter((index) => !has(index))
        .map((index) => ({ kind: 'index' as const, name: nameOf(index) })),
    ];
  });
}

/** Upgrades a file of an earlier version. Its rows have the field in their JSON, or lack it. */
function addMissingColumns(database: Database.Database, table: CollectionName): void {
  const existing = database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[];
  const missing = indexedColumns(table).filter((column) => !existing.some(({ name }) => name === column));
  for (const column of missing) {
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${quote(column)}`);
    database.exec(`UPDATE ${table} SET ${quote(column)} = json_extract(row, '$.${column}')`);
  }
}

/** The row's fields that have a separate column, besides `_id`. */
export function indexedColumns(table: CollectionName): string[] {
  const { unique, uniqueIfPresent = [], indexes } = COLLECTIONS[table];
  return [...new Set([...unique, ...uniqueIfPresent, ...indexes].flat())].filter(
    (column) => column !== '_id',
  );
}

export function quote(column: string): string {
  return `"${column}"`;
}

function indexName(table: CollectionName, columns: string[]): string {
  return `${table}_by_${columns.join('_and_')}`;
}

function createIndex(kind: 'INDEX' | 'UNIQUE INDEX', table: CollectionName, columns: string[]): string {
  const name = indexName(table, columns);
  return `CREATE ${kind} IF NOT EXISTS ${name} ON ${table} (${columns.map(quote).join(', ')})`;
}

function createUniqueIndex(database: Database.Database, table: CollectionName, columns: string[]): void {
  const described = `the unique index ${indexName(table, columns)} on ${table} (${columns.join(', ')})`;
  try {
    database.exec(createIndex('UNIQUE INDEX', table, columns));
  } catch (cause) {
    throw new StoreSetupError(`Cannot create ${described}: rows in the file violate it.`, { cause });
  }
  // `IF NOT EXISTS` accepts any index of that name.
  if (hasUniqueIndex(database, table, columns)) return;
  throw new StoreSetupError(
    `The file lacks ${described}: drop the other index of that name, then start again.`,
  );
}

function hasUniqueIndex(database: Database.Database, table: CollectionName, columns: string[]): boolean {
  const name = indexName(table, columns);
  const indexes = database.prepare(`PRAGMA index_list(${table})`).all() as IndexInfo[];
  const indexed = database.prepare(`PRAGMA index_info(${name})`).all() as { name: string }[];
  const isComplete = indexed.map((column) => column.name).join() === columns.join();
  return (
    isComplete && indexes.some((index) => index.name === name && index.unique === 1 && index.partial === 0)
  );
}

interface IndexInfo {
  name: string;
  unique: number;
  partial: number;
}
