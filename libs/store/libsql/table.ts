import type Database from 'libsql';
import type { CollectionName, Rows } from '../collections.js';
import { assertPlainValue } from '../plain-value.js';
import type { Inserted } from '../store.port.js';
import { indexedColumns, quote } from './create-tables.js';

type Value = string | number | null;
export type Tables = { [Name in CollectionName]: Table<Name> };

/** After a column: one of the texts in a JSON array, which is one value. */
export const inList = 'IN (SELECT value FROM json_each(?))';

/** One table: the row as JSON text, next to it the columns that queries use. Statements are prepared once. */
export class Table<Name extends CollectionName> {
  readonly #statements = new Map<string, Database.Statement>();
  readonly #columns: string[];

  constructor(
    readonly database: Database.Database,
    readonly name: Name,
  ) {
    this.#columns = indexedColumns(name);
  }

  /** False: the `_id` or another unique key is taken, and nothing was written. */
  insert(row: Rows[Name]): boolean {
    const names = ['_id', ...this.#columns.map(quote), 'row'];
    const places = names.map(() => '?').join(', ');
    assertPlainValue(row._id);
    const sql = `INSERT INTO ${this.name} (${names.join(', ')}) VALUES (${places}) ON CONFLICT DO NOTHING`;
    return this.#prepare(sql).run(row._id, ...this.#values(row)).changes === 1;
  }

  /** One write to the disk; how many rows, from the first one, were not taken. */
  insertUntilTaken(rows: readonly Rows[Name][]): number {
    return this.#atOnce(() => {
      const taken = rows.findIndex((row) => !this.insert(row));
      return taken < 0 ? rows.length : taken;
    });
  }

  /** One write to the disk. */
  insertMissing(rows: readonly Rows[Name][]): void {
    this.#atOnce(() => rows.forEach((row) => this.insert(row)));
  }

  /** For tables whose only unique key is `_id`. */
  insertOrRead(row: Rows[Name]): Inserted<Rows[Name]> {
    return this.insert(row) ? { won: true, row } : { won: false, row: this.get(row._id) ?? row };
  }

  get(id: string): Rows[Name] | null {
    return this.select('WHERE _id = ?', id)[0] ?? null;
  }

  /** @param clauses SQL after the table's name; never holds a value */
  select(clauses: string, ...values: Value[]): Rows[Name][] {
    values.forEach(assertPlainValue);
    const found = this.#prepare(`SELECT row FROM ${this.name} ${clauses}`).all(...values) as {
      row: string;
    }[];
    return found.map(({ row }) => JSON.parse(row) as Rows[Name]);
  }

  /** One number, such as a count or a maximum; 0 for none. */
  measure(expression: string, clauses: string, ...values: Value[]): number {
    values.forEach(assertPlainValue);
    const sql = `SELECT ${expression} AS measured FROM ${this.name} ${clauses}`;
    const [first] = this.#prepare(sql).all(...values) as { measured: number | null }[];
    return first?.measured ?? 0;
  }

  /** Sums and the like, by `clauses`. Names of columns and functions only: never a value. */
  aggregate<Row>(expressions: string, clauses: string, ...values: Value[]): Row[] {
    values.forEach(assertPlainValue);
    return this.#prepare(`SELECT ${expressions} FROM ${this.name} ${clauses}`).all(...values) as Row[];
  }

  /** Read, change, write: nothing comes between, because this process alone has the file. False: no such row. */
  update(id: string, change: (row: Rows[Name]) => Rows[Name]): boolean {
    const stored = this.get(id);
    if (!stored) return false;
    const assignments = [...this.#columns, 'row'].map((column) => `${quote(column)} = ?`).join(', ');
    const sql = `UPDATE ${this.name} SET ${assignments} WHERE _id = ?`;
    this.#prepare(sql).run(...this.#values(change(stored)), id);
    return true;
  }

  remove(id: string): void {
    assertPlainValue(id);
    this.#prepare(`DELETE FROM ${this.name} WHERE _id = ?`).run(id);
  }

  /** @param condition as `clauses` in `select`, without `WHERE` */
  removeWhere(condition: string, ...values: Value[]): void {
    values.forEach(assertPlainValue);
    this.#prepare(`DELETE FROM ${this.name} WHERE ${condition}`).run(...values);
  }

  /** Sets fields, and takes others away, in every row that fits: one statement, so one write to the disk. */
  changeWhere(
    condition: string,
    { set = {}, unset = [] }: { set?: Partial<Rows[Name]>; unset?: (keyof Rows[Name] & string)[] },
    ...values: Value[]
  ): void {
    values.forEach(assertPlainValue);
    const fields = Object.entries(set);
    const paths = [...fields.map(([field]) => `, '$.${field}', json(?)`)].join('');
    const removed = unset.map((field) => `, '$.${field}'`).join('');
    const columns = fields.filter(([field]) => this.#columns.includes(field));
    const assignments = [
      ...columns.map(([field]) => `${quote(field)} = ?`),
      `row = json_remove(json_set(row${paths})${removed})`,
    ];
    const sql = `UPDATE ${this.name} SET ${assignments.join(', ')} WHERE ${condition}`;
    const plain = columns.map(([, value]) => value as Value);
    plain.forEach(assertPlainValue);
    this.#prepare(sql).run(...plain, ...fields.map(([, value]) => JSON.stringify(value)), ...values);
  }

  /** All or nothing. Nothing comes between: every statement is synchronous. */
  #atOnce<T>(write: () => T): T {
    this.database.exec('BEGIN');
    try {
      const written = write();
      this.database.exec('COMMIT');
      return written;
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  #values(row: Rows[Name]): Value[] {
    const fields = row as unknown as Record<string, Value | undefined>;
    const values = this.#columns.map((column) => fields[column] ?? null);
    values.forEach(assertPlainValue);
    return [...values, JSON.stringify(row)];
  }

  #prepare(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
