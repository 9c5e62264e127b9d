import type { CollectionName, Field, Rows } from './collections.js';
import type { Inserted } from './side-store.port.js';
import type { Store } from './store.port.js';

export type Value = string | number;
/** `null`: the row has null in this field, or lacks it. */
export type Equals<Name extends CollectionName> = { [Key in Field<Name>]?: Value | null };

/** A row without the field meets none. */
export interface Condition {
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
  /** A few values, of fixed number. */
  in?: readonly Value[];
}

/** Which rows; all conditions hold. */
export interface Filter<Name extends CollectionName> {
  equals?: Equals<Name>;
  where?: { [Key in Field<Name>]?: Condition };
  /**
   * The field has one of these values, of which there may be any number: an adapter may ask for them in parts. Excludes
   * `order`, `skip` and `limit`.
   */
  among?: { field: Field<Name>; values: readonly string[] };
  /** Changes no result, only how fast it comes; an adapter uses what helps its database. */
  hint?: {
    /** Holds for all of these rows anyway. */
    within?: Equals<Name>;
    /** An index over this field finds far too many rows. */
    avoidIndexOf?: Field<Name>;
  };
}

export interface Query<Name extends CollectionName> extends Filter<Name> {
  /** By the first field, then by the next one. */
  order?: { [Key in Field<Name>]?: 'asc' | 'desc' };
  skip?: number;
  limit?: number;
}

export interface Change<Name extends CollectionName> {
  /** What is undefined stays as it is. */
  set?: Partial<Rows[Name]>;
  unset?: readonly Field<Name>[];
  /** A number that grows by one. */
  countUp?: Field<Name>;
}

/** A row that has these values stands in the way. The insert is answered with `is`, or, without it, with that row. */
export interface Obstacle<Name extends CollectionName, Answer extends string> {
  equals: Equals<Name>;
  is?: Answer;
}

/** Bytes of all rows that have this value in the field that was asked about. */
export interface Size {
  of: string;
  bytes: number;
}

/**
 * The rows of one collection. Each operation is atomic on each row. Durability, errors and lost answers are as the
 * `Store` says.
 */
export interface RowsOf<Name extends CollectionName> {
  /** For collections whose only unique key is `_id`. */
  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>>;
  /**
   * @param obstacles `_id` and every unique key that the row has, in the order in which they are looked for. When none
   * of the others is found, an adapter may conclude that it is the last one.
   */
  insertUnless<Answer extends string>(
    row: Rows[Name],
    obstacles: readonly Obstacle<Name, Answer>[],
  ): Promise<Inserted<Rows[Name]> | Answer>;
  /**
   * In one write, in this order: how many from the first one on were not taken. What comes after one that is taken is
   * left out (`stop`) or inserted if it is not taken itself (`skip`).
   */
  insertMany(rows: readonly Rows[Name][], atTaken: 'stop' | 'skip'): Promise<number>;
  /**
   * `full`: it would be one more than `limit` of those, and is not there. However many are inserted at once, there are
   * never more when all have been answered.
   */
  insertWithin(
    row: Rows[Name],
    room: { of: Equals<Name>; limit: number },
  ): Promise<'inserted' | 'taken' | 'full'>;
  /**
   * Adds the row's `sums` to those of the row with its `_id`, which is inserted if there is none. Does nothing when
   * that row has counted up to this row's `counter` or beyond.
   */
  accumulate(row: Rows[Name], sums: readonly Field<Name>[], counter: Field<Name>): Promise<void>;

  get(id: string): Promise<Rows[Name] | null>;
  find(query: Query<Name>): Promise<Rows[Name][]>;
  /**
   * Only these fields of each row.
   * @param cut the first this many UTF-16 units of a text; of all rows, a few whole texts at most are in memory
   */
  findParts<Key extends Field<Name>>(
    query: Query<Name>,
    fields: readonly Key[],
    cut?: { [Part in Key]?: number },
  ): Promise<Pick<Rows[Name], Key>[]>;
  count(filter: Filter<Name>): Promise<number>;
  /** Sums of fields, one for each combination of the `by` fields, in their order; none for no row. */
  sum(
    query: Omit<Query<Name>, 'among'>,
    sums: readonly Field<Name>[],
    by: readonly Field<Name>[],
  ): Promise<Record<string, Value>[]>;
  /**
   * How much people, models and tools have written in the rows, by a field, without reading it; in the query's order
   * if that field is `_id`.
   */
  measure(query: Query<Name>, by: Field<Name>): Promise<Size[]>;

  /** In every row that matches. False: none does, or another row has what is unique. */
  change(filter: Filter<Name>, change: Change<Name>): Promise<boolean>;
  /** How many there were; a row that does not match any more by then stays. */
  remove(query: Query<Name>): Promise<number>;
}

export type AllRows = { readonly [Name in CollectionName]: RowsOf<Name> };

/** What an adapter implements: `RowsStore` makes it a `Store`. */
export interface RowDatabase extends Pick<Store, 'open' | 'close' | 'ping' | 'time'> {
  /** Throws `StoreUnavailableError` while the database is not open. */
  readonly rows: AllRows;
}
