import type { Store, UsageKey, UsageSum } from '#store';
import type { Clock } from '#time';
import { dayOf, renewedAt, usedOf, type DayBudget, type Used } from '#turn';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';
import { toDays, TOO_MANY_DAYS } from './usage-query.js';

/** What is asked for; absent days: the last 30. */
interface Asked {
  from?: string;
  to?: string;
  by: readonly ('user' | 'day' | 'model' | 'conversation')[];
  user_id?: string;
}

interface Sums {
  input_tokens: number;
  /** Part of the input that came from a provider's cache. */
  cached_tokens: number;
  output_tokens: number;
  /** In the unit of the configured prices. */
  cost: number;
}

export type UsageLine = Sums & Partial<Record<UsageKey, string>>;

export interface UsageBody {
  from: string;
  to: string;
  total: Sums;
  /** One for each combination of what was asked for in `by`, in the order of these keys. */
  rows: UsageLine[];
  /** There are more rows than are sent: ask for fewer days or keys. */
  is_cut: boolean;
}

/** Of one limit of a budget. */
interface Left {
  limit: number;
  used: number;
  left: number;
}

export interface OwnUsageBody extends UsageBody {
  today: Sums;
  /** Absent: there is no limit. */
  budget?: { tokens?: Left; cost?: Left; renewed_at: string };
}

const MAX_ROWS = 2_000;
const NOTHING: Sums = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost: 0 };
const COLUMNS = { user: 'user_id', day: 'day', model: 'model', conversation: 'conversation_id' } as const;

/** The usage of models, by user, day, conversation and model. */
export class UsageReader {
  constructor(
    private readonly store: Pick<Store, 'sumUsage'>,
    private readonly budget: DayBudget,
    private readonly clock: Pick<Clock, 'wall'>,
  ) {}

  async own({ id }: User, asked: Omit<Asked, 'user_id'>): Promise<OwnUsageBody> {
    const day = dayOf(this.clock.wall());
    const [body, [today]] = await Promise.all([
      this.read({ ...asked, user_id: id }),
      this.store.sumUsage({ user_id: id, from: day, to: day, by: [], limit: 1 }),
    ]);
    const sums = today ? toLine(today) : NOTHING;
    return { ...body, today: sums, ...this.budgetOf(usedOf(sums)) };
  }

  /** Of all users, or one: for operators. Throws `RequestError` for days that cannot be read at once. */
  async read({ by, user_id, ...asked }: Asked): Promise<UsageBody> {
    const days = toDays(asked, this.clock.wall());
    if (!days) throw new RequestError('invalid', `${TOO_MANY_DAYS}.`);
    const query = { ...(user_id === undefined ? {} : { user_id }), ...days };
    const keys = by.map((key) => COLUMNS[key]);
    const [rows, [total]] = await Promise.all([
      this.store.sumUsage({ ...query, by: keys, limit: MAX_ROWS + 1 }),
      this.store.sumUsage({ ...query, by: [], limit: 1 }),
    ]);
    return {
      ...days,
      total: total ? toLine(total) : NOTHING,
      rows: rows.slice(0, MAX_ROWS).map(toLine),
      is_cut: rows.length > MAX_ROWS,
    };
  }

  private budgetOf(used: Used): Pick<OwnUsageBody, 'budget'> {
    const { tokens, cost } = this.budget;
    if (tokens === undefined && cost === undefined) return {};
    const left = (limit: number, of: number) => ({ limit, used: of, left: Math.max(0, limit - of) });
    const renewed_at = new Date(renewedAt(this.clock.wall())).toISOString();
    return {
      budget: {
        ...(tokens === undefined ? {} : { tokens: left(tokens, used.tokens) }),
        ...(cost === undefined ? {} : { cost: left(cost, used.cost) }),
        renewed_at,
      },
    };
  }
}

function toLine({ input_tokens, cached_tokens, output_tokens, cost, ...keys }: UsageSum): UsageLine {
  return { ...keys, input_tokens, cached_tokens, output_tokens, cost };
}
