import type { Refusals } from '#observability';
import type { Store } from '#store';
import { FreshReads, type Clock } from '#time';
import type { TurnOptions } from '#contracts';
import { dayOf, findExceeded, isBudgetSet, NOTHING_USED, usedOf, type DayBudget, type Used } from '#turn';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';

/** Oldest age of a user's sum before it is read again. */
const FRESH = { freshMs: 1_000, maxRemembered: 10_000 };

/**
 * Refuses turns whose user has used up their budget of the day, in the whole installation. Orchestrators check again
 * before each model call: the sum here may be a second old, and running calls are not counted yet.
 */
export class BudgetAdmission {
  /** By day and user. */
  private readonly known: FreshReads<Used>;

  constructor(
    private readonly store: Pick<Store, 'sumUsage'>,
    private readonly budget: DayBudget,
    private readonly refusals: Pick<Refusals, 'note'>,
    private readonly clock: Pick<Clock, 'now' | 'wall'>,
  ) {
    this.known = new FreshReads(clock, FRESH);
  }

  /** Throws `RequestError` `budget_exceeded`. A turn that asks no model needs no budget. */
  async check({ id: user_id }: Pick<User, 'id'>, { call }: TurnOptions = {}): Promise<void> {
    if (call || !isBudgetSet(this.budget)) return;
    const exceeded = findExceeded(this.budget, await this.usedToday(user_id), this.clock.wall());
    if (!exceeded) return;
    this.refusals.note('usage_per_user_per_day', { user_id });
    throw new RequestError('budget_exceeded', exceeded.message, exceeded.retryAfterMs);
  }

  private usedToday(userId: string): Promise<Used> {
    const day = dayOf(this.clock.wall());
    return this.known.get(`${day} ${userId}`, () => this.read(userId, day));
  }

  private async read(user_id: string, day: string): Promise<Used> {
    const [sum] = await this.store.sumUsage({ user_id, from: day, to: day, by: [], limit: 1 });
    return sum ? usedOf(sum) : NOTHING_USED;
  }
}
