import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';

const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE documents (id INTEGER PRIMARY KEY, path TEXT UNIQUE, modified_ms INTEGER, size INTEGER, hash TEXT);
  CREATE VIRTUAL TABLE chunks USING fts5(title, body, tokenize = 'porter unicode61 remove_diacritics 2');
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/** Opens the index. A damaged index, or one of another version, is deleted and created again. */
export function openIndex(file: string): Database.Database {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  try {
    return prepareIndex(file);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return prepareIndex(file);
  }
}

function prepareIndex(file: string): Database.Database {
  const database = new Database(file, { timeout: 5000 });
  // After a power cut, missing parts of the index are indexed again.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (user_version !== SCHEMA_VERSION) {
    database.exec(`DROP TABLE IF EXISTS documents; DROP TABLE IF EXISTS chunks; ${SCHEMA}`);
  }
  return database;
}

function isDamaged(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT';
}
