import type { Turn } from '#contracts';
import { OneByOne } from '#limits';
import type { Refusals } from '#observability';
import { ModelError } from '#llm';
import type { Store } from '#store';
import { timestampOf, untilAborted, type Time } from '#time';
import { addUsed, dayOf, findExceeded, isBudgetSet, NOTHING_USED, usedOf } from '#turn';
import type { DayBudget, Used } from '#turn';
import { isEndedStatus } from '#contracts';

/**
 * The pause between two checks of what a user's other calls used. It has jitter, so that two processes do not check in
 * step.
 */
const RECHECK_MS = 400;

/** The user's budget for the day is used up. The turn ends with this sentence. */
export class DayBudgetExceeded extends ModelError {
  override name = 'DayBudgetExceeded';

  constructor(message: string) {
    super(message, 'invalid', { retryable: false });
  }
}

export interface BudgetedCall {
  turn: Pick<Turn, '_id' | 'user_id'>;
  /** An estimate of the most that the call may use. */
  atMost: Used;
  /** Used by the step before this call and not counted yet. */
  spent: Used;
  signal: AbortSignal;
  /** Called once, when the rest of the budget is held for other running calls of the user. */
  onWait: () => void;
}

type BudgetStore = Pick<
  Store,
  'sumUsage' | 'putUsageHold' | 'listUsageHolds' | 'removeUsageHold' | 'getTurn'
>;

/**
 * Lets a model call begin while its user's budget for the day lasts, across the whole installation. A call that begins
 * holds an estimate of its use. Another call begins only if something is left after all holds; otherwise it waits until
 * that is known. So at most one call exceeds the budget, however many turns run at once. If two calls write their holds
 * at the same time, at least one sees the other. Both may withdraw, and they try again after different pauses.
 */
export class DayBudgets {
  /** By user: calls of one user in this process are admitted one after the other. */
  private readonly lines = new OneByOne();

  constructor(
    private readonly deps: Time & {
      store: BudgetStore;
      budget: DayBudget;
      refusals: Pick<Refusals, 'note'>;
    },
  ) {}

  get isOn(): boolean {
    return isBudgetSet(this.deps.budget);
  }

  /** Throws `DayBudgetExceeded` or the signal's reason, and then holds nothing. */
  async admit(call: BudgetedCall): Promise<void> {
    const entering = this.lines.run(call.turn.user_id, () => this.enter(call));
    await untilAborted(entering, call.signal);
  }

  /** Called after the use of the call is counted. */
  async release(turnId: string): Promise<void> {
    await this.deps.store.removeUsageHold(turnId);
  }

  private async enter(call: BudgetedCall): Promise<void> {
    const { clock, random } = this.deps;
    for (let look = 0; ; look++) {
      call.signal.throwIfAborted();
      const others = await this.hold(call, addUsed(call.spent, call.atMost));
      // Read after the holds, because a call that ends is counted before its hold is released.
      const used = addUsed(await this.usedToday(call.turn.user_id), call.spent);
      const exceeded = findExceeded(this.deps.budget, used, clock.wall());
      const promised = others.reduce(addUsed, used);
      const isFree = !exceeded && !findExceeded(this.deps.budget, promised, clock.wall());
      if (isFree && !call.signal.aborted) return;
      await this.withdraw(call);
      call.signal.throwIfAborted();
      if (exceeded) {
        this.deps.refusals.note('usage_per_user_per_day', { user_id: call.turn.user_id });
        throw new DayBudgetExceeded(exceeded.message);
      }
      if (look === 0) call.onWait();
      await clock.sleep(RECHECK_MS * (0.5 + random.float()), call.signal);
    }
  }

  /** The holds of the user's other calls. */
  private async hold({ turn }: BudgetedCall, { tokens, cost }: Used): Promise<Used[]> {
    const { store } = this.deps;
    const at = timestampOf(this.deps.clock);
    await store.putUsageHold({ _id: turn._id, user_id: turn.user_id, tokens, cost, at });
    const others = (await store.listUsageHolds(turn.user_id)).filter(({ _id }) => _id !== turn._id);
    const isHeld = await Promise.all(others.map(({ _id }) => this.isUnderWay(_id)));
    return others.filter((_hold, index) => isHeld[index]);
  }

  /** The driver of an ended turn may have died before it released the hold. */
  private async isUnderWay(turnId: string): Promise<boolean> {
    const turn = await this.deps.store.getTurn(turnId);
    if (turn && !isEndedStatus(turn.status)) return true;
    await this.release(turnId);
    return false;
  }

  /** Tokens that are already spent stay held until they are counted. */
  private async withdraw({ turn, spent }: BudgetedCall): Promise<void> {
    if (spent.tokens === 0) return this.release(turn._id);
    const at = timestampOf(this.deps.clock);
    await this.deps.store.putUsageHold({ _id: turn._id, user_id: turn.user_id, ...spent, at });
  }

  private async usedToday(user_id: string): Promise<Used> {
    const day = dayOf(this.deps.clock.wall());
    const [sum] = await this.deps.store.sumUsage({ user_id, from: day, to: day, by: [], limit: 1 });
    return sum ? usedOf(sum) : NOTHING_USED;
  }
}
