import type { Usage, UsageHold, UsageRow } from '#contracts';

export type UsageKey = 'user_id' | 'day' | 'conversation_id' | 'model';

export interface UsageQuery {
  /** Absent: all users. */
  user_id?: string;
  /** First and last day, both included. */
  from: string;
  to: string;
  /** One sum for each combination of these; none: one sum at most. */
  by: readonly UsageKey[];
  limit: number;
}

export type UsageSum = Usage & { cost: number } & Partial<Record<UsageKey, string>>;

/** What models have used, and may be using. Errors and durability are those of the `Store`. */
export interface UsageStore {
  /**
   * Adds to the sums of the row with this `_id`, which is inserted if there is none. Does nothing when that row has
   * counted up to this `counted_to` or beyond: so a step may be counted again, by anybody, and counts once.
   */
  addUsage(row: UsageRow): Promise<void>;
  /** In the order of the keys. */
  sumUsage(query: UsageQuery): Promise<UsageSum[]>;
  /** Rows of days before this, `limit` at most; how many there were. */
  removeUsageBefore(day: string, limit: number): Promise<number>;

  /** One of this id gets what the row has. */
  putUsageHold(row: UsageHold): Promise<void>;
  /** All of a user, in no order. */
  listUsageHolds(userId: string): Promise<UsageHold[]>;
  removeUsageHold(id: string): Promise<void>;
}

/** Fields that are added up. */
export const USAGE_SUMS = ['input_tokens', 'output_tokens', 'cached_tokens', 'cost'] as const;
