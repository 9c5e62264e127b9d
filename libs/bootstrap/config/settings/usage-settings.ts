import { z } from 'zod';
import type { DayBudget } from '#turn';
import { positive } from './positive.js';

export const usageSettingsSchema = z
  .strictObject({
    tokens_per_user_per_day: positive(1_000_000_000_000).optional(),
    cost_per_user_per_day: z.number().gt(0).max(1_000_000_000).optional(),
    keep_days: z.int().min(2).max(36_500).default(400),
  })
  .prefault({});

/** The usage limits of one user, and how long usage is kept. */
export interface UsageSettings {
  budget: DayBudget;
  keepDays: number;
}

export function toUsageSettings(usage: z.output<typeof usageSettingsSchema>): UsageSettings {
  const { tokens_per_user_per_day: tokens, cost_per_user_per_day: cost, keep_days: keepDays } = usage;
  return { budget: { tokens, cost }, keepDays };
}
