import type { Model, QueryFilter, SortOrder, UpdateQuery } from 'mongoose';
import type { CollectionName, Field, Rows } from '../collections.js';
import { assertPlainValue } from '../plain-value.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted } from '../store.port.js';
import { isSameRow, toDocument, toRow, type StoredDocument } from './documents.js';
import { firstDuplicate, isDuplicateKey } from './mongo-errors.js';
import { retryWithin } from './retry-within.js';

/** A server that waits its `wtimeout` of 5 s for a majority still answers within this. */
export const OPERATION_BUDGET_MS = 5_500;
const rememberedInserts = 10_000;
const idsPerQuery = 500;

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

/** One collection. Each operation is one command, tried again for at most `OPERATION_BUDGET_MS`. */
export class MongoRows<Name extends CollectionName> {
  /** Ids whose insert ended without an answer: when the same row is inserted again, a stored one is its own. */
  readonly #unanswered = new Set<string>();

  constructor(
    readonly model: Model<StoredDocument>,
    readonly name: Name,
  ) {}

  /** For collections whose only unique key is `_id`. */
  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>> {
    return this.insertUnless<never>(row, () => this.#findById(row._id));
  }

  /**
   * @param readBack asked after a duplicate key: the row that stands in the way of this one, or why there is none;
   * null when nothing can be seen yet
   */
  async insertUnless<Obstacle extends string>(
    row: Rows[Name],
    readBack: () => Promise<Rows[Name] | Obstacle | null>,
  ): Promise<Inserted<Rows[Name]> | Obstacle> {
    let isAnswerLost = false;
    const attempt = async (): Promise<Rows[Name] | Obstacle | undefined> => {
      const wasAnswerLost = isAnswerLost;
      isAnswerLost = true;
      try {
        // Past Mongoose's documents, a fifth of an insert: `toDocument` knows every field.
        await this.model.collection.insertOne(toDocument(this.name, row) as never);
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      isAnswerLost = wasAnswerLost;
      const found = await readBack();
      if (found === null) throw new StoreUnavailableError('What won is not stored by a majority yet.');
      return found;
    };
    const found = await retryWithin(OPERATION_BUDGET_MS, attempt).catch((error: unknown) => {
      if (isAnswerLost && error instanceof StoreUnavailableError) this.#rememberUnanswered(row._id);
      throw error;
    });
    const wasUnanswered = this.#unanswered.delete(row._id) || isAnswerLost;
    if (found === undefined) return { won: true, row };
    if (typeof found === 'string') return found;
    return { won: wasUnanswered && isSameRow(this.name, found, row), row: found };
  }

  /** How many rows, from the first one, were not taken. A repeated write finds its own rows taken. */
  async insertUntilTaken(rows: readonly Rows[Name][]): Promise<number> {
    if (rows.length === 0) return 0;
    const taken = await this.#insertMany(rows, true);
    return taken ?? rows.length;
  }

  async insertMissing(rows: readonly Rows[Name][]): Promise<void> {
    if (rows.length > 0) await this.#insertMany(rows, false);
  }

  get(id: string): Promise<Rows[Name] | null> {
    return retryWithin(OPERATION_BUDGET_MS, () => this.#findById(id));
  }

  find(query: Query<Name>): Promise<Rows[Name][]> {
    return retryWithin(OPERATION_BUDGET_MS, () => this.findOnce(query));
  }

  /** Without a second try, for use within one. */
  async findOnce({ sort, skip, limit, ...filter }: Query<Name>): Promise<Rows[Name][]> {
    const options = { sort: sort as Record<string, SortOrder>, skip, limit };
    const documents = await this.model.find(toFilter(filter), null, options).lean();
    return documents.map((document) => toRow(this.name, document as StoredDocument));
  }

  /** Rows whose `field` is one of `values`, in parallel queries of bounded size. */
  async findAmong(
    field: Field<Name>,
    values: string[],
    equals?: Query<Name>['equals'],
  ): Promise<Rows[Name][]> {
    const chunks: Promise<Rows[Name][]>[] = [];
    for (let at = 0; at < values.length; at += idsPerQuery) {
      const conditions = { [field]: { $in: values.slice(at, at + idsPerQuery) } };
      chunks.push(this.find({ equals, conditions } as Query<Name>));
    }
    return (await Promise.all(chunks)).flat();
  }

  count(query: Query<Name>): Promise<number> {
    return retryWithin(OPERATION_BUDGET_MS, () => this.model.countDocuments(toFilter(query)).exec());
  }

  /** Whether a row matched. */
  async set(query: Query<Name>, change: Partial<Rows[Name]>): Promise<boolean> {
    return this.#update(query, { $set: toDocument(this.name, change) });
  }

  async countUp(id: string, field: Field<Name>): Promise<boolean> {
    return this.#update({ equals: { _id: id } } as Query<Name>, { $inc: { [field]: 1 } });
  }

  /**
   * Adds the row's `sums` to the stored row of its `_id`, unless that has counted up to the row's `order` or beyond; a row
   * that is not there is inserted. May be repeated.
   */
  async accumulate(row: Rows[Name], sums: readonly Field<Name>[], order: Field<Name>): Promise<void> {
    const { _id, ...document } = toDocument(this.name, row);
    const entries = Object.entries(document);
    const isSum = (key: string) => (sums as readonly string[]).includes(key);
    const added = {
      $inc: Object.fromEntries(entries.filter(([key]) => isSum(key))),
      $set: { [order]: document[order] },
    };
    const first = Object.fromEntries(entries.filter(([key]) => key !== order && !isSum(key)));
    const filter = { _id: _id as never, [order]: { $lt: document[order] } } as never;
    await retryWithin(OPERATION_BUDGET_MS, async () => {
      const { collection } = this.model;
      try {
        await collection.updateOne(filter, { ...added, $setOnInsert: first } as never, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // It is counted, or somebody has just inserted the row.
        await collection.updateOne(filter, added as never);
      }
    });
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
    const groups = await retryWithin(OPERATION_BUDGET_MS, () =>
      this.model.collection.aggregate(pipeline as never).toArray(),
    );
    return groups.map(({ _id, ...group }) => ({ ...(_id as unknown as object | null), ...group }));
  }

  async remove(id: string): Promise<void> {
    const filter = toFilter({ equals: { _id: id } });
    await retryWithin(OPERATION_BUDGET_MS, () => this.model.deleteOne(filter).exec());
  }

  /** Removes the rows whose `field` is one of `values`; in parallel commands of bounded size. */
  async removeAmong(field: Field<Name>, values: string[], equals?: Query<Name>['equals']): Promise<void> {
    await this.#forChunks(field, values, equals, (filter) => this.model.deleteMany(filter).exec());
  }

  async removeAll(equals: Query<Name>['equals']): Promise<void> {
    const filter = toFilter({ equals });
    await retryWithin(OPERATION_BUDGET_MS, () => this.model.deleteMany(filter).exec());
  }

  /** Sets fields, and takes others away, in the rows whose `field` is one of `values`. */
  async changeAmong(
    field: Field<Name>,
    values: string[],
    change: { set?: Partial<Rows[Name]>; unset?: Field<Name>[] },
    equals?: Query<Name>['equals'],
  ): Promise<void> {
    const update = {
      ...(change.set ? { $set: toDocument(this.name, change.set) } : {}),
      ...(change.unset ? { $unset: Object.fromEntries(change.unset.map((name) => [name, 1])) } : {}),
    } as UpdateQuery<StoredDocument>;
    await this.#forChunks(field, values, equals, (filter) => this.model.updateMany(filter, update).exec());
  }

  /** The place of the first row that was taken. */
  #insertMany(rows: readonly Rows[Name][], ordered: boolean): Promise<number | undefined> {
    const documents = rows.map((row) => toDocument(this.name, row) as never);
    return retryWithin(OPERATION_BUDGET_MS, async () => {
      try {
        await this.model.collection.insertMany(documents, { ordered });
        return undefined;
      } catch (error) {
        return firstDuplicate(error);
      }
    });
  }

  async #forChunks(
    field: Field<Name>,
    values: string[],
    equals: Query<Name>['equals'],
    act: (filter: QueryFilter<StoredDocument>) => Promise<unknown>,
  ): Promise<void> {
    const acts: Promise<unknown>[] = [];
    for (let at = 0; at < values.length; at += idsPerQuery) {
      const filter = toFilter({
        equals,
        conditions: { [field]: { $in: values.slice(at, at + idsPerQuery) } },
      });
      acts.push(retryWithin(OPERATION_BUDGET_MS, () => act(filter)));
    }
    await Promise.all(acts);
  }

  async #update(query: Query<Name>, change: UpdateQuery<StoredDocument>): Promise<boolean> {
    const filter = toFilter(query);
    const result = await retryWithin(OPERATION_BUDGET_MS, () => this.model.updateOne(filter, change).exec());
    return result.matchedCount > 0;
  }

  async #findById(id: string): Promise<Rows[Name] | null> {
    assertPlainValue(id);
    const found = await this.model.collection.findOne({ _id: id as never });
    return found && toRow(this.name, found as unknown as StoredDocument);
  }

  #rememberUnanswered(id: string): void {
    this.#unanswered.add(id);
    const [oldest] = this.#unanswered;
    if (oldest !== undefined && this.#unanswered.size > rememberedInserts) this.#unanswered.delete(oldest);
  }
}

interface AnyFilter {
  equals?: object;
  conditions?: object;
}

function toFilter({ equals = {}, conditions = {} }: AnyFilter): QueryFilter<StoredDocument> {
  Object.values(equals).forEach(assertPlainValue);
  return { ...equals, ...conditions } as QueryFilter<StoredDocument>;
}
