import type { Refusals } from '#observability';
import type { Store } from '#store';
import type { Clock } from '#time';
import type { TurnOptions } from '#contracts';
import { dayOf, findExceeded, isBudgetSet, NOTHING_USED, usedOf, type DayBudget, type Used } from '#turn';
import type { User } from '../auth/user.js';
import { RequestError } from '../errors/request-error.js';

/** A user's sum is read again when it is older. */
const FRESH_MS = 1_000;
/** Users that are remembered at once. */
const MAX_REMEMBERED = 10_000;

/**
 * Keeps turns out whose user has used up his budget of the day, in the whole installation. Orchestrators check again
 * before each model call: here what a user has used may be a second old, and what runs is not counted yet.
 */
export class BudgetDoor {
  private readonly known = new Map<string, { readAt: number; day: string; used: Promise<Used> }>();

  constructor(
    private readonly store: Pick<Store, 'sumUsage'>,
    private readonly budget: DayBudget,
    private readonly refusals: Pick<Refusals, 'note'>,
    private readonly clock: Pick<Clock, 'now' | 'wall'>,
  ) {}

  /** Throws `RequestError` `budget_exceeded`. A turn that asks no model needs no budget. */
  async check({ id: user_id }: Pick<User, 'id'>, { call }: TurnOptions = {}): Promise<void> {
    if (call || !isBudgetSet(this.budget)) return;
    const exceeded = findExceeded(this.budget, await this.usedToday(user_id), this.clock.wall());
    if (!exceeded) return;
    this.refusals.note('usage_per_user_per_day', { user_id });
    throw new RequestError('budget_exceeded', exceeded.message, exceeded.retryAfterMs);
  }

  private usedToday(userId: string): Promise<Used> {
    const readAt = this.clock.now();
    const day = dayOf(this.clock.wall());
    const known = this.known.get(userId);
    const isFresh = known && readAt - known.readAt < FRESH_MS && known.day === day;
    if (isFresh) return known.used;
    const used = this.read(userId, day);
    this.known.delete(userId);
    this.known.set(userId, { readAt, day, used });
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_REMEMBERED) this.known.delete(oldest!);
    // A read that failed says nothing about the next one.
    used.catch(() => {
      if (this.known.get(userId)?.used === used) this.known.delete(userId);
    });
    return used;
  }

  private async read(user_id: string, day: string): Promise<Used> {
    const [sum] = await this.store.sumUsage({ user_id, from: day, to: day, by: [], limit: 1 });
    return sum ? usedOf(sum) : NOTHING_USED;
  }
}
