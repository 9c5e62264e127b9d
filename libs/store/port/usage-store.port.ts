import type { Usage, UsageHold, UsageRow } from '#contracts';

export type UsageKey = 'user_id' | 'day' | 'conversation_id' | 'model';

export interface UsageQuery {
  /** Absent: all users. */
  user_id?: string;
  /** First and last day, both included. */
  from: string;
  to: string;
  /** One sum for each combination of these keys; with no keys, at most one sum. */
  by: readonly UsageKey[];
  limit: number;
}

export type UsageSum = Usage & { cost: number } & Partial<Record<UsageKey, string>>;

/** What models have used and may be using now. Errors and durability are those of `Store`. */
export interface UsageStore {
  /**
   * Adds to the sums of the row with this `_id`, or inserts the row if there is none. Does nothing when the stored
   * row's `counted_to` has reached or passed this one, so any process may count a step again and it counts once.
   */
  addUsage(row: UsageRow): Promise<void>;
  /** Sorted by the keys. */
  sumUsage(query: UsageQuery): Promise<UsageSum[]>;
  /** Removes rows of days before this, at most `limit`. Returns how many were removed. */
  removeUsageBefore(day: string, limit: number): Promise<number>;

  /** Inserts the hold or sets the row's fields. */
  putUsageHold(row: UsageHold): Promise<void>;
  /** All holds of a user, in no order. */
  listUsageHolds(userId: string): Promise<UsageHold[]>;
  removeUsageHold(id: string): Promise<void>;
}

/** The fields that are added up. */
export const USAGE_SUMS = ['input_tokens', 'output_tokens', 'cached_tokens', 'cost'] as const;
