import type { Model, QueryFilter, SortOrder } from 'mongoose';
import type { Time } from '#time';
import type { CollectionName, Field, Rows } from '../collections.js';
import { FIELD_KINDS, type FieldKind } from '../field-kinds.js';
import type { RowSize } from '../fitting-turns.js';
import { assertPlainValue } from '../plain-value.js';
import { toRow, type StoredDocument } from './documents.js';
import { retryWithin } from './retry-within.js';

/** A server that waits its `wtimeout` of 5 s for a majority still answers within this. */
const OPERATION_BUDGET_MS = 5_500;
export const IDS_PER_QUERY = 500;
const PARTS_AT_ONCE = 20;

export interface Query<Name extends CollectionName> {
  equals?: { [Key in Field<Name>]?: string | number | null };
  /** Operators over values that this library made. */
  conditions?: {
    [Key in Field<Name>]?: Partial<Record<'$in' | '$nin' | '$gt' | '$gte' | '$lt' | '$lte', unknown>>;
  };
  sort?: { [Key in Field<Name>]?: SortOrder };
  skip?: number;
  limit?: number;
}

/** What is read of one collection. Each operation is one command, tried again for at most `OPERATION_BUDGET_MS`. */
export class MongoReads<Name extends CollectionName> {
  constructor(
    readonly model: Model<StoredDocument>,
    readonly name: Name,
    private readonly time: Time,
  ) {}

  protected retry<T>(attempt: () => Promise<T>): Promise<T> {
    return retryWithin(this.time, OPERATION_BUDGET_MS, attempt);
  }

  get(id: string): Promise<Rows[Name] | null> {
    return this.retry(() => this.findById(id));
  }

  find(query: Query<Name>): Promise<Rows[Name][]> {
    return this.retry(() => this.findOnce(query));
  }

  /** Without a second try, for use within one. */
  async findOnce({ sort, skip, limit, ...filter }: Query<Name>): Promise<Rows[Name][]> {
    const options = { sort: sort as Record<string, SortOrder>, skip, limit };
    const documents = await this.model.find(toFilter(filter), null, options).lean();
    return documents.map((document) => toRow(this.name, document as StoredDocument));
  }

  /**
   * Of the rows that match only these fields, and of those what `keep` makes of them as they come: the server sends
   * `PARTS_AT_ONCE` at a time, so what is dropped is never in memory together.
   */
  async findParts<Key extends Field<Name>, Kept>(
    query: Query<Name>,
    fields: readonly Key[],
    keep: (part: Pick<Rows[Name], Key>) => Kept,
  ): Promise<Kept[]> {
    const projection = { _id: 0, ...Object.fromEntries(fields.map((field) => [field, 1])) };
    return this.retry(async () => {
      const options = { projection, batchSize: PARTS_AT_ONCE };
      const kept: Kept[] = [];
      for await (const part of this.model.collection.find(toFilter(query) as never, options))
        kept.push(keep(toRow(this.name, part as unknown as StoredDocument)));
      return kept;
    });
  }

  /** Rows whose `field` is one of `values`, in parallel queries of bounded size. */
  async findAmong(
    field: Field<Name>,
    values: string[],
    equals?: Query<Name>['equals'],
  ): Promise<Rows[Name][]> {
    const chunks: Promise<Rows[Name][]>[] = [];
    for (let at = 0; at < values.length; at += IDS_PER_QUERY) {
      const conditions = { [field]: { $in: values.slice(at, at + IDS_PER_QUERY) } };
      chunks.push(this.find({ equals, conditions } as Query<Name>));
    }
    return (await Promise.all(chunks)).flat();
  }

  count(query: Query<Name>): Promise<number> {
    return this.retry(() => this.model.countDocuments(toFilter(query)).exec());
  }

  /** Sums of fields over the rows that match, for each combination of the `by` fields. */
  async sum(
    query: Query<Name>,
    sums: readonly Field<Name>[],
    by: readonly Field<Name>[],
  ): Promise<Record<string, string | number>[]> {
    const fields = (names: readonly string[], of: (name: string) => unknown) =>
      Object.fromEntries(names.map((name) => [name, of(name)]));
    const key = by.length === 0 ? null : fields(by, (name) => `$${name}`);
    const order =
      by.length === 0
        ? []
        : [
            {
              $sort: fields(
                by.map((name) => `_id.${name}`),
                () => 1,
              ),
            },
          ];
    const pipeline = [
      { $match: toFilter(query) },
      { $group: { _id: key, ...fields(sums, (name) => ({ $sum: `$${name}` })) } },
      ...order,
      ...(query.limit === undefined ? [] : [{ $limit: query.limit }]),
    ];
    const groups = await this.retry(() => this.model.collection.aggregate(pipeline as never).toArray());
    return groups.map(({ _id, ...group }) => ({ ...(_id as unknown as object | null), ...group }));
  }

  /** Of each row that matches, by its `_id`, in the order of the query. */
  async sizes({ sort, limit, ...filter }: Query<Name>): Promise<RowSize[]> {
    return this.#measure([
      { $match: toFilter(filter) },
      ...(sort ? [{ $sort: sort }] : []),
      ...(limit === undefined ? [] : [{ $limit: limit }]),
      { $project: { bytes: writtenBytes(this.name) } },
    ]);
  }

  /** Of these turns, of all rows of each. */
  async sizesOfTurns(turnIds: string[]): Promise<RowSize[]> {
    if (turnIds.length === 0) return [];
    return this.#measure([
      { $match: { turn_id: { $in: turnIds } } },
      { $group: { _id: '$turn_id', bytes: { $sum: writtenBytes(this.name) } } },
    ]);
  }

  async #measure(pipeline: object[]): Promise<RowSize[]> {
    const measured = await this.retry(() =>
      this.model.collection.aggregate<{ _id: string; bytes: number }>(pipeline as never).toArray(),
    );
    return measured.map(({ _id, bytes }) => ({ turn_id: _id, bytes }));
  }

  /** Without a second try, for use within one. */
  protected async findById(id: string): Promise<Rows[Name] | null> {
    assertPlainValue(id);
    const found = await this.model.collection.findOne({ _id: id as never });
    return found && toRow(this.name, found as unknown as StoredDocument);
  }
}

/** What people, models and tools wrote in a row; all else in it is small. */
function writtenBytes(name: CollectionName): object {
  const written = Object.entries<FieldKind>(FIELD_KINDS[name]).filter(([, kind]) => kind === 'json');
  return { $add: written.map(([field]) => ({ $strLenBytes: { $ifNull: [`$${field}`, ''] } })) };
}

interface AnyFilter {
  equals?: object;
  conditions?: object;
}

export function toFilter({ equals = {}, conditions = {} }: AnyFilter): QueryFilter<StoredDocument> {
  Object.values(equals).forEach(assertPlainValue);
  return { ...equals, ...conditions } as QueryFilter<StoredDocument>;
}
