import type Database from 'libsql';
import type { CollectionName, Field, Rows } from '../port/collections.js';
import { assertPlainValue } from '../port/plain-value.js';
import type { Change, Equals, Filter, Obstacle, Query, RowsOf, Size, Value } from '../port/rows.port.js';
import type { Inserted } from '../port/store.port.js';
import { readJson } from '../port/read-json.js';
import { Clauses, type Sql } from './clauses.js';
import { quote } from './create-tables.js';
import { cutJson, longestInJson } from './cut-json.js';
import { translateSqliteError } from './sqlite-errors.js';

/**
 * One table: the row as JSON text, next to the columns that queries use. Statements are prepared once and run
 * synchronously. Nothing can come between the statements of one operation, because only this process has the file.
 */
export class LibsqlRows<Name extends CollectionName> implements RowsOf<Name> {
  private readonly statements = new Map<string, Database.Statement>();
  private readonly clauses: Clauses<Name>;
  private readonly insertion: string;

  constructor(
    private readonly database: Database.Database,
    private readonly name: Name,
  ) {
    this.clauses = new Clauses(name);
    const names = ['_id', ...[...this.clauses.columns].map(quote), 'row'];
    const places = names.map(() => '?').join(', ');
    this.insertion = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${places}) ON CONFLICT DO NOTHING`;
  }

  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>> {
    return attempt(() =>
      this.insertSync(row) ? { won: true, row } : { won: false, row: this.getSync(row._id) ?? row },
    );
  }

  insertUnless<Answer extends string>(
    row: Rows[Name],
    obstacles: readonly Obstacle<Name, Answer>[],
  ): Promise<Inserted<Rows[Name]> | Answer> {
    return attempt(() => {
      if (this.insertSync(row)) return { won: true, row };
      for (const { equals, is } of obstacles) {
        // Some unique key is taken. If it is none of the others, it is the last one.
        if (is !== undefined && equals === obstacles.at(-1)?.equals) return is;
        const [stored] = this.findSync({ equals, limit: 1 });
        if (stored) return is ?? { won: false, row: stored };
      }
      return { won: false, row };
    });
  }

  insertMany(rows: readonly Rows[Name][], atTaken: 'stop' | 'skip'): Promise<number> {
    const insertAll = () => {
      let firstTaken = rows.length;
      for (const [index, row] of rows.entries()) {
        if (this.insertSync(row)) continue;
        firstTaken = Math.min(firstTaken, index);
        if (atTaken === 'stop') break;
      }
      return firstTaken;
    };
    return attempt(() => this.atOnce(insertAll));
  }

  insertWithin(
    row: Rows[Name],
    { of, limit }: { of: Equals<Name>; limit: number },
  ): Promise<'inserted' | 'taken' | 'full'> {
    return attempt(() => {
      if (this.countSync({ equals: of }) >= limit) return 'full';
      return this.insertSync(row) ? 'inserted' : 'taken';
    });
  }

  accumulate(row: Rows[Name], sums: readonly Field<Name>[], counter: Field<Name>): Promise<void> {
    const valueOf = (fields: Rows[Name], field: Field<Name>) => fields[field] as number;
    return attempt(() => {
      const stored = this.getSync(row._id);
      if (!stored) return void this.insertSync(row);
      if (valueOf(stored, counter) >= valueOf(row, counter)) return;
      const added = sums.map((field) => [field, valueOf(stored, field) + valueOf(row, field)]);
      const set = Object.fromEntries([...added, [counter, row[counter]]]) as Partial<Rows[Name]>;
      this.changeSync({ equals: { _id: row._id } }, { set });
    });
  }

  get(id: string): Promise<Rows[Name] | null> {
    return attempt(() => this.getSync(id));
  }

  find(query: Query<Name>): Promise<Rows[Name][]> {
    return attempt(() => this.findSync(query));
  }

  findParts<Key extends Field<Name>>(
    query: Query<Name>,
    fields: readonly Key[],
    cut: { [Part in Key]?: number } = {},
  ): Promise<Pick<Rows[Name], Key>[]> {
    const { columns } = this.clauses;
    const isPlain = (field: Key) => field === '_id' || columns.has(field);
    const parts = fields.map((field) => {
      if (isPlain(field)) return this.clauses.expression(field);
      const json = `row -> ${this.clauses.path(field)}`;
      // Cut the JSON text: SQLite cannot hold every string that JSON can escape.
      return cut[field] === undefined ? json : `substr(${json}, 1, ${longestInJson(cut[field])})`;
    });
    const selected = parts.map((part, index) => `${part} AS ${quote(fields[index]!)}`).join(', ');
    const read = (field: Key, value: unknown) => {
      if (isPlain(field) || value === null) return value;
      return cut[field] === undefined
        ? readJson(this.name, value as string)
        : cutJson(value as string, cut[field]);
    };
    return attempt(() =>
      this.select<Record<Key, unknown>>(selected, this.clauses.ofQuery(query)).map(
        (part) =>
          Object.fromEntries(fields.map((field) => [field, read(field, part[field])])) as Pick<
            Rows[Name],
            Key
          >,
      ),
    );
  }

  count(filter: Filter<Name>): Promise<number> {
    return attempt(() => this.countSync(filter));
  }

  sum(
    { limit, ...filter }: Omit<Query<Name>, 'among'>,
    sums: readonly Field<Name>[],
    by: readonly Field<Name>[],
  ): Promise<Record<string, Value>[]> {
    const keys = by.map((field) => this.clauses.expression(field));
    const selected = [
      ...keys.map((key, index) => `${key} AS ${quote(by[index]!)}`),
      ...sums.map((field) => `SUM(${this.clauses.expression(field)}) AS ${quote(field)}`),
    ].join(', ');
    const { text, values } = this.clauses.where(filter);
    const grouped = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}`;
    const clauses = { text: `${text}${grouped} LIMIT ?`, values: [...values, limit ?? -1] };
    return attempt(() =>
      // A sum over no rows is one row of nulls.
      this.select<Record<string, Value>>(selected, clauses).filter((group) => group[sums[0]!] !== null),
    );
  }

  measure(query: Query<Name>, by: Field<Name>): Promise<Size[]> {
    const clauses = this.clauses.ofQuery(query);
    const key = this.clauses.expression(by);
    // SQLite knows the length of a text without reading it.
    const length = 'octet_length(row)';
    if (by === '_id') return attempt(() => this.select(`${key} AS "of", ${length} AS bytes`, clauses));
    const grouped = { ...clauses, text: `${clauses.text} GROUP BY ${key}` };
    return attempt(() => this.select(`${key} AS "of", SUM(${length}) AS bytes`, grouped));
  }

  change(filter: Filter<Name>, change: Change<Name>): Promise<boolean> {
    return attempt(() => this.changeSync(filter, change));
  }

  remove(query: Query<Name>): Promise<number> {
    const isPage = query.order !== undefined || query.limit !== undefined;
    const { text, values } = this.clauses.ofQuery(query);
    const condition = isPage ? ` WHERE _id IN (SELECT _id FROM ${this.name}${text})` : text;
    return attempt(() => this.run({ text: `DELETE FROM ${this.name}${condition}`, values }));
  }

  private getSync(id: string): Rows[Name] | null {
    return this.findSync({ equals: { _id: id } })[0] ?? null;
  }

  private findSync(query: Query<Name>): Rows[Name][] {
    const found = this.select<{ row: string }>('row', this.clauses.ofQuery(query));
    return found.map(({ row }) => readJson(this.name, row) as Rows[Name]);
  }

  private countSync(filter: Filter<Name>): number {
    return this.select<{ count: number }>('COUNT(*) AS count', this.clauses.where(filter))[0]!.count;
  }

  /** False if the `_id` or another unique key is taken; then nothing was written. */
  private insertSync(row: Rows[Name]): boolean {
    const fields = row as unknown as Record<string, Value | undefined>;
    const columns = [...this.clauses.columns].map((column) => fields[column] ?? null);
    const values = [row._id, ...columns, JSON.stringify(row)];
    return this.run({ text: this.insertion, values }) === 1;
  }

  private changeSync(filter: Filter<Name>, change: Change<Name>): boolean {
    const changes = this.clauses.assignments(change);
    const where = this.clauses.where(filter);
    // A conflict with another row's unique key must not be an error.
    const text = `UPDATE OR IGNORE ${this.name} SET ${changes.text}${where.text}`;
    return this.run({ text, values: [...changes.values, ...where.values] }) > 0;
  }

  /** All or nothing, in one write to the disk. */
  private atOnce<T>(write: () => T): T {
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

  private select<Row>(selected: string, { text, values }: Sql): Row[] {
    values.forEach(assertPlainValue);
    return this.prepare(`SELECT ${selected} FROM ${this.name}${text}`).all(...values) as Row[];
  }

  /** Returns how many rows the statement wrote or removed. */
  private run({ text, values }: Sql): number {
    values.forEach(assertPlainValue);
    return this.prepare(text).run(...values).changes;
  }

  private prepare(sql: string): Database.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

/** Returns a promise, so that callers yield to others as with any store. */
async function attempt<T>(operation: () => T): Promise<T> {
  try {
    return operation();
  } catch (error) {
    throw translateSqliteError(error);
  }
}
