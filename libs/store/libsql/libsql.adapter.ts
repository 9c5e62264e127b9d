import { COLLECTION_NAMES } from '../port/collections.js';
import type { AllRows, RowDatabase } from '../port/rows.port.js';
import { StoreUnavailableError } from '../port/store-errors.js';
import type { Missing } from '../port/store.port.js';
import { findMissing } from './create-tables.js';
import { LibsqlRows } from './libsql-rows.js';
import { openDatabase, openToRead, type OpenDatabase } from './open-database.js';
import { translateSqliteError } from './sqlite-errors.js';

/** One SQLite file, used by this process alone. Every statement is synchronous and durable. */
export class LibsqlDatabase implements RowDatabase {
  private current?: OpenDatabase & { rows: AllRows };

  /** @param dataDir a folder, created if missing, or `:memory:` */
  constructor(
    readonly dataDir: string,
    private readonly isReadOnly = false,
  ) {}

  async open(): Promise<void> {
    try {
      const opened = await (this.isReadOnly ? openToRead : openDatabase)(this.dataDir);
      const rows = COLLECTION_NAMES.map((name) => [name, new LibsqlRows(opened.database, name)]);
      this.current = { ...opened, rows: Object.fromEntries(rows) as AllRows };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async close(): Promise<void> {
    const open = this.current;
    this.current = undefined;
    try {
      open?.close();
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async findMissing(): Promise<Missing[]> {
    const { database } = this.opened;
    try {
      return findMissing(database);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async ping(): Promise<void> {
    this.ask('SELECT 1 FROM processes LIMIT 1');
  }

  async time(): Promise<number> {
    const [row] = this.ask("SELECT CAST(1000 * unixepoch('now', 'subsec') AS INTEGER) AS now");
    return (row as { now: number }).now;
  }

  get rows(): AllRows {
    return this.opened.rows;
  }

  private ask(sql: string): unknown[] {
    const { database } = this.opened;
    try {
      return database.prepare(sql).all();
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  private get opened(): OpenDatabase & { rows: AllRows } {
    if (!this.current) throw new StoreUnavailableError('The store is not open.');
    return this.current;
  }
}
