import type { Model, QueryFilter } from 'mongoose';
import type { Time } from '#time';
import type { CollectionName, Field, Rows } from '../port/collections.js';
import { FIELD_KINDS, type FieldKind } from '../port/field-kinds.js';
import { assertPlainValue } from '../port/plain-value.js';
import type { Filter, Query, Size, Value } from '../port/rows.port.js';
import { toRow, type StoredDocument } from './documents.js';
import { toFilters, toSort } from './filters.js';
import { translateMongoError } from './mongo-errors.js';
import { retryWithin } from './retry-within.js';

/**
 * Longer than the `wtimeout` of 5 s for which a server waits for a majority, so that its answer still comes in time.
 */
const OPERATION_BUDGET_MS = 5_500;
const PARTS_AT_ONCE = 20;

/** The reads of one collection. Each command is retried for at most `OPERATION_BUDGET_MS`. */
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

  async find(query: Query<Name>): Promise<Rows[Name][]> {
    return (await this.inParts(query, (filter) => this.findOnce(filter, query))).flat();
  }

  /** The server sends `PARTS_AT_ONCE` at a time, so the texts to be cut are never all in memory. */
  async findParts<Key extends Field<Name>>(
    query: Query<Name>,
    fields: readonly Key[],
    cut: { [Part in Key]?: number } = {},
  ): Promise<Pick<Rows[Name], Key>[]> {
    const projection = { _id: 0, ...Object.fromEntries(fields.map((field) => [field, 1])) };
    const options = { ...optionsOf(query), projection, batchSize: PARTS_AT_ONCE };
    const found = await this.inParts(query, async (filter) => {
      const parts: Pick<Rows[Name], Key>[] = [];
      for await (const part of this.model.collection.find(filter as never, options))
        parts.push(cutTexts(toRow(this.name, part as unknown as StoredDocument), cut));
      return parts;
    });
    return found.flat();
  }

  async count(filter: Filter<Name>): Promise<number> {
    const counts = await this.inParts(filter, (part) => this.model.countDocuments(part).exec());
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async sum(
    query: Omit<Query<Name>, 'among'>,
    sums: readonly Field<Name>[],
    by: readonly Field<Name>[],
  ): Promise<Record<string, Value>[]> {
    const key = by.length === 0 ? null : fieldsOf(by, (name) => `$${name}`);
    const keysInOrder = by.map((name) => `_id.${name}`);
    const groups = await this.aggregate<{ _id: object | null }>(query, [
      { $group: { _id: key, ...fieldsOf(sums, (name) => ({ $sum: `$${name}` })) } },
      ...(by.length === 0 ? [] : [{ $sort: fieldsOf(keysInOrder, () => 1) }]),
      ...(query.limit === undefined ? [] : [{ $limit: query.limit }]),
    ]);
    return groups.map(({ _id, ...group }) => ({ ..._id, ...group }));
  }

  async measure(query: Query<Name>, by: Field<Name>): Promise<Size[]> {
    const bytes = writtenBytes(this.name);
    const measured = await this.aggregate<{ _id: string; bytes: number }>(query, [
      ...(query.order ? [{ $sort: toSort(query.order) }] : []),
      ...(query.limit === undefined ? [] : [{ $limit: query.limit }]),
      by === '_id' ? { $project: { bytes } } : { $group: { _id: `$${by}`, bytes: { $sum: bytes } } },
    ]);
    return measured.map(({ _id, bytes }) => ({ of: _id, bytes }));
  }

  /** Runs one command for each part of the filter, in parallel. */
  protected async inParts<T>(
    filter: Filter<Name>,
    act: (part: QueryFilter<StoredDocument>) => Promise<T>,
  ): Promise<T[]> {
    return Promise.all(this.toFilters(filter).map((part) => this.retry(() => act(part))));
  }

  /** Does not retry; for use inside an operation that does. */
  protected async findOnce(
    filter: QueryFilter<StoredDocument>,
    query: Query<Name> = {},
  ): Promise<Rows[Name][]> {
    const documents = await this.model.find(filter, null, optionsOf(query)).lean();
    return documents.map((document) => toRow(this.name, document as StoredDocument));
  }

  /** Does not retry either. */
  protected async findById(id: string): Promise<Rows[Name] | null> {
    assertPlainValue(id);
    const found = await this.model.collection.findOne({ _id: id as never });
    return found && toRow(this.name, found as unknown as StoredDocument);
  }

  protected async findIds(query: Query<Name>): Promise<string[]> {
    const options = { ...optionsOf(query), projection: { _id: 1 } };
    const found = await this.inParts(query, (filter) =>
      this.model.collection.find(filter as never, options).toArray(),
    );
    return found.flat().map(({ _id }) => _id as unknown as string);
  }

  private toFilters(filter: Filter<Name>): QueryFilter<StoredDocument>[] {
    try {
      return toFilters(filter);
    } catch (error) {
      throw translateMongoError(error);
    }
  }

  private async aggregate<Group>(filter: Filter<Name>, stages: object[]): Promise<Group[]> {
    const groups = await this.inParts(filter, (part) =>
      this.model.collection.aggregate([{ $match: part }, ...stages] as never).toArray(),
    );
    return groups.flat() as Group[];
  }
}

function optionsOf<Name extends CollectionName>({ order, skip, limit }: Query<Name>) {
  return { sort: order && toSort(order), skip, limit };
}

function fieldsOf(names: readonly string[], valueOf: (name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** The size of what people, models and tools wrote in a row; everything else in it is small. */
function writtenBytes(name: CollectionName): object {
  const written = Object.entries<FieldKind>(FIELD_KINDS[name]).filter(([, kind]) => kind === 'json');
  return { $add: written.map(([field]) => ({ $strLenBytes: { $ifNull: [`$${field}`, ''] } })) };
}

function cutTexts<Part extends object>(part: Part, cut: Partial<Record<string, number>>): Part {
  const texts = Object.entries(cut).map(([field, length]) => {
    const text = part[field as keyof Part] as string;
    return [field, ownCopy(text.slice(0, length))];
  });
  return { ...part, ...(Object.fromEntries(texts) as Part) };
}

/** Copies the text, because a slice would keep the whole text in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
