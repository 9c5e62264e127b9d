import type { UsageHold, UsageRow } from '#contracts';
import { USAGE_SUMS, type UsageQuery, type UsageStore, type UsageSum } from '../usage-store.port.js';
import type { Collections } from './open-collections.js';

/** What models have used, in MongoDB. */
export abstract class MongoUsageStore implements UsageStore {
  protected abstract readonly rows: Collections;

  async addUsage(row: UsageRow): Promise<void> {
    await this.rows.usage.accumulate(row, USAGE_SUMS, 'counted_to');
  }

  async sumUsage({ user_id, from, to, by, limit }: UsageQuery): Promise<UsageSum[]> {
    const equals = user_id === undefined ? {} : { user_id };
    const query = { equals, conditions: { day: { $gte: from, $lte: to } }, limit };
    return (await this.rows.usage.sum(query, USAGE_SUMS, by)) as unknown as UsageSum[];
  }

  async removeUsageBefore(day: string, limit: number): Promise<number> {
    const { usage } = this.rows;
    const old = await usage.find({ conditions: { day: { $lt: day } }, limit });
    await usage.removeAmong(
      '_id',
      old.map(({ _id }) => _id),
    );
    return old.length;
  }

  async putUsageHold(row: UsageHold): Promise<void> {
    const { usage_holds: holds } = this.rows;
    const { _id, tokens, cost, at } = row;
    // Removed between the two, it is inserted after all.
    while (!(await holds.insert(row)).won && !(await holds.set({ equals: { _id } }, { tokens, cost, at })));
  }

  async listUsageHolds(userId: string): Promise<UsageHold[]> {
    return this.rows.usage_holds.find({ equals: { user_id: userId } });
  }

  async removeUsageHold(id: string): Promise<void> {
    await this.rows.usage_holds.remove(id);
  }
}
