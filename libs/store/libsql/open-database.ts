import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import { NoStoreError, StoreSetupError } from '../port/store-errors.js';
import { createTables } from './create-tables.js';
import { lockDataDir } from './data-lock.js';

export const IN_MEMORY = ':memory:';
const FILE = 'switchyard.db';

export interface OpenDatabase {
  database: Database.Database;
  /** Also releases the folder. */
  close(): void;
}

/** Locks the folder and opens `switchyard.db` in it, with every table and index. */
export async function openDatabase(dataDir: string): Promise<OpenDatabase> {
  const { default: Connection } = await import('libsql');
  if (dataDir === IN_MEMORY) return openFile(Connection, IN_MEMORY);
  createFolder(dataDir);
  const lock = lockDataDir(Connection, dataDir);
  try {
    return openFile(Connection, join(dataDir, FILE), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Locks the folder, so that no process starts on it meanwhile, and opens the file as it is. Throws `StoreSetupError`
 * when there is none.
 */
export async function openToRead(dataDir: string): Promise<OpenDatabase> {
  const { default: Connection } = await import('libsql');
  const path = join(dataDir, FILE);
  if (!existsSync(path)) throw new NoStoreError(`There is no store in ${dataDir}: check DATA_DIR.`);
  const lock = lockDataDir(Connection, dataDir);
  try {
    const database = new Connection(path);
    database.pragma('query_only = ON');
    return {
      database,
      close() {
        database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openFile(Connection: typeof Database, path: string, afterClose?: () => void): OpenDatabase {
  const database = new Connection(path);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    createTables(database);
    // The lock proves that the processes in these rows are dead.
    database.exec('DELETE FROM processes');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    close() {
      try {
        // The binding closes the file only after every prepared statement has been collected.
        database.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
        afterClose?.();
      }
    },
  };
}

function createFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StoreSetupError(`Cannot create the folder ${dataDir} (${reason}): choose another DATA_DIR.`, {
      cause,
    });
  }
}
