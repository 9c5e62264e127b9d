import type { Usage } from '#contracts';

const DAY_MS = 24 * 3_600_000;

/** The limits of one user on one day; an absent limit means no limit. */
export interface DayBudget {
  /** Input tokens, including those from a provider's cache, plus output tokens. */
  tokens?: number;
  /** In the unit of the configured prices. */
  cost?: number;
}

export interface Used {
  tokens: number;
  cost: number;
}

export interface Exceeded {
  message: string;
  /** The time until the budget is renewed. */
  retryAfterMs: number;
}

export function isBudgetSet({ tokens, cost }: DayBudget): boolean {
  return tokens !== undefined || cost !== undefined;
}

export function usedOf(sum: Pick<Usage, 'input_tokens' | 'output_tokens'> & { cost?: number }): Used {
  return { tokens: sum.input_tokens + sum.output_tokens, cost: sum.cost ?? 0 };
}

export function addUsed(some: Used, more: Used): Used {
  return { tokens: some.tokens + more.tokens, cost: some.cost + more.cost };
}

export const NOTHING_USED: Used = { tokens: 0, cost: 0 };

/** Midnight UTC, ms since epoch. */
export function renewedAt(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** Why a user may use nothing more today; undefined while the budget is not used up. */
export function findExceeded(budget: DayBudget, used: Used, now: number): Exceeded | undefined {
  const words = describeExceeded(budget, used);
  if (words === undefined) return undefined;
  const at = renewedAt(now);
  const when = new Date(at).toISOString().replace('.000Z', 'Z');
  return { message: `${words} Nothing is left until it renews at ${when}.`, retryAfterMs: at - now };
}

function describeExceeded({ tokens, cost }: DayBudget, used: Used): string | undefined {
  if (tokens !== undefined && used.tokens >= tokens)
    return `Your budget of ${tokens} tokens a day is used up (${used.tokens} used).`;
  if (cost !== undefined && used.cost >= cost)
    return `Your budget of ${cost} a day for models is used up (${round(used.cost)} used).`;
  return undefined;
}

/** Rounds, because sums of fractions have long tails. */
function round(cost: number): number {
  return Number(cost.toPrecision(6));
}
