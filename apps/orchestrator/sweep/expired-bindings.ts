import type { Store } from '#store';

const BINDINGS_A_ROUND = 100;
/** Bindings are kept for days, so a minute more does not matter. */
const ROUND_MS = 60_000;

/** Removes what dialects store for clients that have not come back. */
export class ExpiredBindings {
  private nextAt = 0;

  constructor(private readonly store: Pick<Store, 'removeExpiredBindings'>) {}

  async sweep(now: number): Promise<void> {
    if (now < this.nextAt) return;
    const removed = await this.store.removeExpiredBindings(new Date(now).toISOString(), BINDINGS_A_ROUND);
    if (removed < BINDINGS_A_ROUND) this.nextAt = now + ROUND_MS;
  }
}
