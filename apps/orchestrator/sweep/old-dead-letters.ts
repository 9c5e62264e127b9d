import type { Store } from '#store';

const LETTERS_A_ROUND = 100;
/** They are kept for days: a minute later is soon enough. */
const ROUND_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** Dead letters that nobody has discarded. */
export class OldDeadLetters {
  private nextAt = 0;

  constructor(
    private readonly store: Pick<Store, 'removeOldDeadLetters'>,
    private readonly days: number,
  ) {}

  async sweep(now: number): Promise<void> {
    if (now < this.nextAt) return;
    const before = new Date(now - this.days * DAY_MS).toISOString();
    const removed = await this.store.removeOldDeadLetters(before, LETTERS_A_ROUND);
    if (removed < LETTERS_A_ROUND) this.nextAt = now + ROUND_MS;
  }
}
