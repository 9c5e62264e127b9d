import type { UsageHold, UsageRow } from '#contracts';
import type { CollectionName, Field, Rows } from '../port/collections.js';
import type { AllRows, RowDatabase, RowsOf } from '../port/rows.port.js';
import { USAGE_SUMS, type UsageQuery, type UsageStore, type UsageSum } from '../port/usage-store.port.js';

/** The usage of models. */
export abstract class RowsUsageStore implements UsageStore {
  constructor(protected readonly database: RowDatabase) {}

  async addUsage(row: UsageRow): Promise<void> {
    await this.rows.usage.accumulate(row, USAGE_SUMS, 'counted_to');
  }

  async sumUsage({ user_id, from, to, by, limit }: UsageQuery): Promise<UsageSum[]> {
    const equals = user_id === undefined ? {} : { user_id };
    const query = { equals, where: { day: { gte: from, lte: to } }, limit };
    return (await this.rows.usage.sum(query, USAGE_SUMS, by)) as unknown as UsageSum[];
  }

  async removeUsageBefore(day: string, limit: number): Promise<number> {
    return this.rows.usage.remove({ where: { day: { lt: day } }, limit });
  }

  async putUsageHold(row: UsageHold): Promise<void> {
    await putRow(this.rows.usage_holds, row, ['tokens', 'cost', 'at']);
  }

  async listUsageHolds(userId: string): Promise<UsageHold[]> {
    return this.rows.usage_holds.find({ equals: { user_id: userId } });
  }

  async removeUsageHold(id: string): Promise<void> {
    await this.rows.usage_holds.remove({ equals: { _id: id } });
  }

  protected get rows(): AllRows {
    return this.database.rows;
  }
}

/** Inserts the row or sets its fields on the row with this `_id`; fields that it lacks stay unchanged. */
export async function putRow<Name extends CollectionName>(
  rows: RowsOf<Name>,
  row: Rows[Name],
  fields: readonly Field<Name>[],
): Promise<void> {
  const set = Object.fromEntries(fields.map((field) => [field, row[field]])) as Partial<Rows[Name]>;
  const filter = { equals: { _id: row._id } } as Parameters<typeof rows.change>[0];
  // Loops because the row may be removed between the two operations.
  while (!(await rows.insert(row)).won && !(await rows.change(filter, { set })));
}
