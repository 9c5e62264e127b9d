import type { UsageHold, UsageRow } from '#contracts';
import { USAGE_SUMS, type UsageQuery, type UsageStore, type UsageSum } from '../usage-store.port.js';
import type { Tables } from './table.js';

/** Those without a column of their own stand in the row. */
const KEYS = {
  user_id: 'user_id',
  day: 'day',
  conversation_id: "json_extract(row, '$.conversation_id')",
  model: "json_extract(row, '$.model')",
};
const SUMS = USAGE_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');

/** What models have used, in SQLite. */
export abstract class LibsqlUsageStore implements UsageStore {
  protected abstract do<T>(operation: (tables: Tables) => T): Promise<T>;

  addUsage(row: UsageRow): Promise<void> {
    const add = (stored: UsageRow): UsageRow => ({
      ...stored,
      ...Object.fromEntries(USAGE_SUMS.map((name) => [name, stored[name] + row[name]])),
      counted_to: row.counted_to,
    });
    return this.do(({ usage }) => {
      const stored = usage.get(row._id);
      if (!stored) usage.insert(row);
      else if (stored.counted_to < row.counted_to) usage.update(row._id, add);
    });
  }

  sumUsage({ user_id, from, to, by, limit }: UsageQuery): Promise<UsageSum[]> {
    const keys = by.map((key) => KEYS[key]);
    const named = by.map((key) => `${KEYS[key]} AS ${key}`);
    const ofUser = user_id === undefined ? '' : 'user_id = ? AND ';
    const grouped = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}`;
    const clauses = `WHERE ${ofUser}day >= ? AND day <= ? ${grouped} LIMIT ?`;
    const values = [...(user_id === undefined ? [] : [user_id]), from, to, limit];
    return this.do(({ usage }) => {
      const sums = usage.aggregate<UsageSum>([...named, SUMS].join(', '), clauses, ...values);
      // A sum over nothing is one row of nulls.
      return sums.filter(({ input_tokens }) => input_tokens !== null);
    });
  }

  removeUsageBefore(day: string, limit: number): Promise<number> {
    return this.do(({ usage }) => {
      const old = usage.select('WHERE day < ? LIMIT ?', day, limit);
      for (const { _id } of old) usage.remove(_id);
      return old.length;
    });
  }

  putUsageHold(row: UsageHold): Promise<void> {
    return this.do(({ usage_holds: holds }) => void (holds.insert(row) || holds.update(row._id, () => row)));
  }

  listUsageHolds(userId: string): Promise<UsageHold[]> {
    return this.do((tables) => tables.usage_holds.select('WHERE user_id = ?', userId));
  }

  removeUsageHold(id: string): Promise<void> {
    return this.do((tables) => tables.usage_holds.remove(id));
  }
}
