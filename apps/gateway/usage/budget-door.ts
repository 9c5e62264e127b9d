import type { Refusals } from '#observability';
import type { Store } from '#store';
import { FreshReads, type Clock } from '#time';
import type { TurnOptions } from '#contracts';
import { dayOf, findExceeded, isBudgetSet, NOTHING_USED, usedOf, type DayBudget, type Used } from '#turn';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';

/** A user's sum is read again when it is older. */
const FRESH = { freshMs: 1_000, maxRemembered: 10_000 };

/**
 * Keeps turns out whose user has used up his budget of the day, in the whole installation. Orchestrators check again
 * before each model call: here what a user has used may be a second old, and what runs is not counted yet.
 */
export class BudgetDoor {
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
