import type { CollectionName, Field, Rows } from './collections.js';
import type { Inserted } from './auxiliary-store.port.js';
import type { Store } from './store.port.js';

export type Value = string | number;
/** `null`: the row has null in this field, or lacks the field. */
export type Equals<Name extends CollectionName> = { [Key in Field<Name>]?: Value | null };

/** A row that lacks the field meets no condition. */
export interface Condition {
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
  /** A small, fixed number of values. */
  in?: readonly Value[];
}

/** Selects rows; all conditions must hold. */
export interface Filter<Name extends CollectionName> {
  equals?: Equals<Name>;
  where?: { [Key in Field<Name>]?: Condition };
  /**
   * The field has one of these values. There may be any number of values, so an adapter may query in parts. Excludes
   * `order`, `skip` and `limit`.
   */
  among?: { field: Field<Name>; values: readonly string[] };
  /** Affects only speed, never the result; an adapter uses what helps its database. */
  hint?: {
    /** A condition that all of these rows meet anyway. */
    within?: Equals<Name>;
    /** A field whose index would match far too many rows. */
    avoidIndexOf?: Field<Name>;
  };
}

export interface Query<Name extends CollectionName> extends Filter<Name> {
  /** Sorted by the first field, then by the next one. */
  order?: { [Key in Field<Name>]?: 'asc' | 'desc' };
  skip?: number;
  limit?: number;
}

export interface Change<Name extends CollectionName> {
  /** Undefined members change nothing. */
  set?: Partial<Rows[Name]>;
  unset?: readonly Field<Name>[];
  /** A number to increase by one. */
  countUp?: Field<Name>;
}

/**
 * A row with these values blocks the insert. The insert answers with `is`, or, if that is absent, with the blocking
 * row.
 */
export interface Obstacle<Name extends CollectionName, Answer extends string> {
  equals: Equals<Name>;
  is?: Answer;
}

/** The bytes of all rows that share one value of the field in question. */
export interface Size {
  of: string;
  bytes: number;
}

/**
 * The rows of one collection. Each operation is atomic per row. Durability, errors and lost answers are those of
 * `Store`.
 */
export interface RowsOf<Name extends CollectionName> {
  /** For collections whose only unique key is `_id`. */
  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>>;
  /**
   * @param obstacles `_id` and every unique key of the row, in the order in which to look for them. When none of the
   * others is found, an adapter may conclude that the last one is taken.
   */
  insertUnless<Answer extends string>(
    row: Rows[Name],
    obstacles: readonly Obstacle<Name, Answer>[],
  ): Promise<Inserted<Rows[Name]> | Answer>;
  /**
   * Inserts in one write, in this order. Returns how many rows, counted from the first, were inserted before a row was
   * already taken. The rows after that one are left out (`stop`), or inserted unless they are taken themselves
   * (`skip`).
   */
  insertMany(rows: readonly Rows[Name][], atTaken: 'stop' | 'skip'): Promise<number>;
  /**
   * `full`: the row would exceed `limit` rows of those, and is not in the store. When all of several parallel inserts
   * have been answered, the limit is never exceeded.
   */
  insertWithin(
    row: Rows[Name],
    room: { of: Equals<Name>; limit: number },
  ): Promise<'inserted' | 'taken' | 'full'>;
  /**
   * Adds the row's `sums` to those of the row with the same `_id`, or inserts the row if there is none. Does nothing
   * when the stored row's `counter` has reached or passed this row's `counter`.
   */
  accumulate(row: Rows[Name], sums: readonly Field<Name>[], counter: Field<Name>): Promise<void>;

  get(id: string): Promise<Rows[Name] | null>;
  find(query: Query<Name>): Promise<Rows[Name][]>;
  /**
   * Only these fields of each row.
   * @param cut the number of UTF-16 units to keep of a text; at most a few whole texts are in memory at a time
   */
  findParts<Key extends Field<Name>>(
    query: Query<Name>,
    fields: readonly Key[],
    cut?: { [Part in Key]?: number },
  ): Promise<Pick<Rows[Name], Key>[]>;
  count(filter: Filter<Name>): Promise<number>;
  /** Sums of fields, one for each combination of the `by` fields, sorted by them; empty if no row matches. */
  sum(
    query: Omit<Query<Name>, 'among'>,
    sums: readonly Field<Name>[],
    by: readonly Field<Name>[],
  ): Promise<Record<string, Value>[]>;
  /**
   * The bytes that people, models and tools have written in the rows, per value of a field, measured without reading
   * them. Sorted in the query's order if that field is `_id`.
   */
  measure(query: Query<Name>, by: Field<Name>): Promise<Size[]>;

  /** Changes every row that matches. False if none matches, or if another row has a value that must be unique. */
  change(filter: Filter<Name>, change: Change<Name>): Promise<boolean>;
  /** Returns how many rows were removed. A row that no longer matches at that moment stays. */
  remove(query: Query<Name>): Promise<number>;
}

export type AllRows = { readonly [Name in CollectionName]: RowsOf<Name> };

/** The interface of a database adapter: `RowsStore` turns it into a `Store`. */
export interface RowDatabase extends Pick<Store, 'open' | 'close' | 'findMissing' | 'ping' | 'time'> {
  /** Throws `StoreUnavailableError` while the database is not open. */
  readonly rows: AllRows;
}
