import { LRUCache } from 'lru-cache';
import type { QueryFilter, UpdateQuery } from 'mongoose';
import type { CollectionName, Field, Rows } from '../collections.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted } from '../store.port.js';
import { isSameRow, toDocument, type StoredDocument } from './documents.js';
import { firstDuplicate, isDuplicateKey } from './mongo-errors.js';
import { IDS_PER_QUERY, MongoReads, toFilter, type Query } from './mongo-reads.js';

const rememberedInserts = 10_000;

/** One collection, read and written; writes as reads are. */
export class MongoRows<Name extends CollectionName> extends MongoReads<Name> {
  /** Ids whose insert ended without an answer: when the same row is inserted again, a stored one is its own. */
  readonly #unanswered = new LRUCache<string, true>({ max: rememberedInserts });

  /** For collections whose only unique key is `_id`. */
  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>> {
    return this.insertUnless<never>(row, () => this.findById(row._id));
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
    const found = await this.retry(attempt).catch((error: unknown) => {
      if (isAnswerLost && error instanceof StoreUnavailableError) this.#unanswered.set(row._id, true);
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

  /** Whether a row matched. */
  async set(query: Query<Name>, change: Partial<Rows[Name]>): Promise<boolean> {
    return this.#update(query, { $set: toDocument(this.name, change) });
  }

  async countUp(id: string, field: Field<Name>): Promise<boolean> {
    return this.#update({ equals: { _id: id } } as Query<Name>, { $inc: { [field]: 1 } });
  }

  /**
   * Adds the row's `sums` to the stored row of its `_id`, unless that has counted up to the row's `order` or beyond;
   * a row that is not there is inserted. May be repeated.
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
    await this.retry(async () => {
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

  async remove(id: string): Promise<void> {
    const filter = toFilter({ equals: { _id: id } });
    await this.retry(() => this.model.deleteOne(filter).exec());
  }

  /** Removes the rows whose `field` is one of `values`; in parallel commands of bounded size. */
  async removeAmong(field: Field<Name>, values: string[], equals?: Query<Name>['equals']): Promise<void> {
    await this.#forChunks(field, values, equals, (filter) => this.model.deleteMany(filter).exec());
  }

  async removeAll(equals: Query<Name>['equals']): Promise<void> {
    const filter = toFilter({ equals });
    await this.retry(() => this.model.deleteMany(filter).exec());
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
    return this.retry(async () => {
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
    for (let at = 0; at < values.length; at += IDS_PER_QUERY) {
      const filter = toFilter({
        equals,
        conditions: { [field]: { $in: values.slice(at, at + IDS_PER_QUERY) } },
      });
      acts.push(this.retry(() => act(filter)));
    }
    await Promise.all(acts);
  }

  async #update(query: Query<Name>, change: UpdateQuery<StoredDocument>): Promise<boolean> {
    const filter = toFilter(query);
    const result = await this.retry(() => this.model.updateOne(filter, change).exec());
    return result.matchedCount > 0;
  }
}
