import { LRUCache } from 'lru-cache';
import type { QueryFilter, UpdateQuery } from 'mongoose';
import type { CollectionName, Field, Rows } from '../port/collections.js';
import type { Change, Equals, Filter, Obstacle, Query, RowsOf } from '../port/rows.port.js';
import { StoreUnavailableError } from '../port/store-errors.js';
import type { Inserted } from '../port/store.port.js';
import { isSameRow, toDocument, type StoredDocument } from './documents.js';
import { toFilters } from './filters.js';
import { firstDuplicate, isDuplicateKey } from './mongo-errors.js';
import { MongoReads } from './mongo-reads.js';

const REMEMBERED_INSERTS = 10_000;

/** Reads and writes one collection. Writes are retried as reads are. */
export class MongoRows<Name extends CollectionName> extends MongoReads<Name> implements RowsOf<Name> {
  /** Ids of inserts that got no answer: when the same row is inserted again, a stored one counts as its own. */
  private readonly unanswered = new LRUCache<string, true>({ max: REMEMBERED_INSERTS });

  insert(row: Rows[Name]): Promise<Inserted<Rows[Name]>> {
    return this.insertOr<never>(row, () => this.findById(row._id));
  }

  insertUnless<Answer extends string>(
    row: Rows[Name],
    obstacles: readonly Obstacle<Name, Answer>[],
  ): Promise<Inserted<Rows[Name]> | Answer> {
    return this.insertOr<Answer>(row, async () => {
      const filters = obstacles.map(({ equals }) => toFilters<Name>({ equals })[0]!);
      const found = await Promise.all(filters.map((filter) => this.findOnce(filter)));
      const first = found.findIndex((rows) => rows.length > 0);
      return first < 0 ? null : (obstacles[first]!.is ?? found[first]![0]!);
    });
  }

  /** A retried write finds its own rows taken. */
  async insertMany(rows: readonly Rows[Name][], atTaken: 'stop' | 'skip'): Promise<number> {
    if (rows.length === 0) return 0;
    const documents = rows.map((row) => toDocument(this.name, row) as never);
    return this.retry(async () => {
      try {
        await this.model.collection.insertMany(documents, { ordered: atTaken === 'stop' });
        return rows.length;
      } catch (error) {
        return firstDuplicate(error);
      }
    });
  }

  async insertWithin(
    row: Rows[Name],
    { of, limit }: { of: Equals<Name>; limit: number },
  ): Promise<'inserted' | 'taken' | 'full'> {
    if ((await this.count({ equals: of })) >= limit) return 'full';
    if (!(await this.insert(row)).won) return 'taken';
    // Each insert sees all rows inserted before it, so a row over the limit sees that and removes itself.
    if ((await this.count({ equals: of })) <= limit) return 'inserted';
    await this.remove({ equals: { _id: row._id } });
    return 'full';
  }

  /** May be repeated without effect. */
  async accumulate(row: Rows[Name], sums: readonly Field<Name>[], counter: Field<Name>): Promise<void> {
    const { _id, ...document } = toDocument(this.name, row);
    const entries = Object.entries(document);
    const isSum = (key: string) => (sums as readonly string[]).includes(key);
    const added = {
      $inc: Object.fromEntries(entries.filter(([key]) => isSum(key))),
      $set: { [counter]: document[counter] },
    };
    const first = Object.fromEntries(entries.filter(([key]) => key !== counter && !isSum(key)));
    const filter = { _id: _id as never, [counter]: { $lt: document[counter] } } as never;
    await this.retry(async () => {
      const { collection } = this.model;
      try {
        await collection.updateOne(filter, { ...added, $setOnInsert: first } as never, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The usage is already counted, or another process has just inserted the row.
        await collection.updateOne(filter, added as never);
      }
    });
  }

  async change(filter: Filter<Name>, { set, unset, countUp }: Change<Name>): Promise<boolean> {
    const change = {
      ...(set && { $set: toDocument(this.name, set) }),
      ...(unset && { $unset: Object.fromEntries(unset.map((field) => [field, 1])) }),
      ...(countUp && { $inc: { [countUp]: 1 } }),
    } as UpdateQuery<StoredDocument>;
    const matched = await this.inParts(filter, (part) => this.update(part, change, isOfOne(filter)));
    return matched.some(Boolean);
  }

  async remove(query: Query<Name>): Promise<number> {
    const { order, limit, ...filter } = query;
    if (order !== undefined || limit !== undefined) {
      const values = await this.findIds(query);
      await this.remove({ ...filter, among: { field: '_id', values } });
      return values.length;
    }
    const removed = await this.inParts(filter, (part) =>
      isOfOne(filter) ? this.model.deleteOne(part).exec() : this.model.deleteMany(part).exec(),
    );
    return removed.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
  }

  /**
   * @param readBack called after a duplicate key; returns the row that blocks this one, or the reason why there is
   * none, or null when nothing can be read yet
   */
  private async insertOr<Answer extends string>(
    row: Rows[Name],
    readBack: () => Promise<Rows[Name] | Answer | null>,
  ): Promise<Inserted<Rows[Name]> | Answer> {
    let isAnswerLost = false;
    const attempt = async (): Promise<Rows[Name] | Answer | undefined> => {
      const wasAnswerLost = isAnswerLost;
      isAnswerLost = true;
      try {
        // Bypasses Mongoose's documents, which saves a fifth of an insert: `toDocument` knows every field.
        await this.model.collection.insertOne(toDocument(this.name, row) as never);
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      isAnswerLost = wasAnswerLost;
      const found = await readBack();
      if (found === null)
        throw new StoreUnavailableError('The winning document is not yet stored by a majority.');
      return found;
    };
    const found = await this.retry(attempt).catch((error: unknown) => {
      if (isAnswerLost && error instanceof StoreUnavailableError) this.unanswered.set(row._id, true);
      throw error;
    });
    const wasUnanswered = this.unanswered.delete(row._id) || isAnswerLost;
    if (found === undefined) return { won: true, row };
    if (typeof found === 'string') return found;
    return { won: wasUnanswered && isSameRow(this.name, found, row), row: found };
  }

  /** Returns whether a row matched. */
  private async update(
    filter: QueryFilter<StoredDocument>,
    change: UpdateQuery<StoredDocument>,
    isOne: boolean,
  ): Promise<boolean> {
    const { model } = this;
    try {
      const updated = await (
        isOne ? model.updateOne(filter, change) : model.updateMany(filter, change)
      ).exec();
      return updated.matchedCount > 0;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

function isOfOne<Name extends CollectionName>({ equals }: Filter<Name>): boolean {
  return equals !== undefined && '_id' in equals;
}
