import type { CollectionName, Field } from '../port/collections.js';
import { FIELD_KINDS } from '../port/field-kinds.js';
import type { Change, Condition, Filter, Query, Value } from '../port/rows.port.js';
import { indexedColumns, quote } from './create-tables.js';

/** SQL text with a `?` for each value. */
export interface Sql {
  text: string;
  values: (Value | null)[];
}

const NOTHING: Sql = { text: '', values: [] };
const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Writes the clauses of one table. Values are always parameters, and field names are those of its rows. */
export class Clauses<Name extends CollectionName> {
  readonly columns: ReadonlySet<string>;

  constructor(readonly name: Name) {
    this.columns = new Set(indexedColumns(name));
  }

  /** The expression for a field in a query: its column, or the member of the row's JSON. */
  expression(field: Field<Name>): string {
    if (field === '_id') return field;
    return this.columns.has(field) ? quote(field) : `json_extract(row, ${this.path(field)})`;
  }

  path(field: string): string {
    if (!Object.hasOwn(FIELD_KINDS[this.name], field))
      throw new TypeError(`${this.name} has no field ${field}`);
    return `'$.${field}'`;
  }

  /** The clauses from `WHERE` on. */
  ofQuery({ order, skip, limit, ...filter }: Query<Name>): Sql {
    const where = this.where(filter);
    const ordered = Object.entries(order ?? {}).map(
      ([field, direction]) => `${this.term(field as Field<Name>, filter)} ${String(direction).toUpperCase()}`,
    );
    const orderBy = ordered.length > 0 ? ` ORDER BY ${ordered.join(', ')}` : '';
    return join([where, { text: orderBy, values: [] }, page(skip, limit)], '');
  }

  where(filter: Filter<Name>): Sql {
    const { equals = {}, where = {}, among } = filter;
    const terms = [
      ...Object.entries(equals as Record<string, Value | null>).map(([field, value]) =>
        equal(this.term(field as Field<Name>, filter), value),
      ),
      ...Object.entries(where as Record<string, Condition>).flatMap(([field, condition]) =>
        compare(this.term(field as Field<Name>, filter), condition),
      ),
      ...(among ? [this.among(among)] : []),
    ];
    return terms.length === 0 ? NOTHING : join([{ text: ' WHERE ', values: [] }, join(terms, ' AND ')], '');
  }

  /** The assignments after `SET`: the columns and the row. */
  assignments({ set = {}, unset = [], countUp }: Change<Name>): Sql {
    const fields = Object.entries(set).filter(([, value]) => value !== undefined);
    const columns = fields.filter(([field]) => this.columns.has(field));
    const added = fields.map(([field]) => `, ${this.path(field)}, json(?)`).join('');
    const counted = countUp ? `, ${this.path(countUp)}, ${this.expression(countUp)} + 1` : '';
    const removed = unset.map((field) => `, ${this.path(field)}`).join('');
    const assignments = [
      ...columns.map(([field]) => `${quote(field)} = ?`),
      ...unset.filter((field) => this.columns.has(field)).map((field) => `${quote(field)} = NULL`),
      ...(countUp && this.columns.has(countUp) ? [`${quote(countUp)} = ${quote(countUp)} + 1`] : []),
      `row = json_remove(json_set(row${added}${counted})${removed})`,
    ];
    const plain = columns.map(([, value]) => value as Value);
    return {
      text: assignments.join(', '),
      values: [...plain, ...fields.map(([, value]) => JSON.stringify(value))],
    };
  }

  /** Passes the texts as one value, a JSON array, however many there are. */
  private among({ field, values }: NonNullable<Filter<Name>['among']>): Sql {
    const text = `${this.expression(field)} IN (SELECT value FROM json_each(?))`;
    return { text, values: [JSON.stringify(values)] };
  }

  /** A plus sign before a column keeps SQLite from using its index. */
  private term(field: Field<Name>, { hint }: Filter<Name>): string {
    return (hint?.avoidIndexOf === field ? '+' : '') + this.expression(field);
  }
}

function equal(term: string, value: Value | null): Sql {
  return value === null ? { text: `${term} IS NULL`, values: [] } : { text: `${term} = ?`, values: [value] };
}

function compare(term: string, { in: among, ...bounds }: Condition): Sql[] {
  const compared = Object.entries<Value>(bounds).map(([operator, value]) => ({
    text: `${term} ${OPERATORS[operator as keyof typeof OPERATORS]} ?`,
    values: [value],
  }));
  if (!among) return compared;
  return [...compared, { text: `${term} IN (${among.map(() => '?').join(', ')})`, values: [...among] }];
}

function page(skip: number | undefined, limit: number | undefined): Sql {
  if (skip === undefined && limit === undefined) return NOTHING;
  const limited = { text: ' LIMIT ?', values: [limit ?? -1] };
  return skip === undefined ? limited : join([limited, { text: ' OFFSET ?', values: [skip] }], '');
}

function join(parts: readonly Sql[], separator: string): Sql {
  return {
    text: parts.map(({ text }) => text).join(separator),
    values: parts.flatMap(({ values }) => values),
  };
}
