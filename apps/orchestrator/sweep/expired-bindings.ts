import type { Store } from '#store';

const BINDINGS_A_ROUND = 100;
/** They are kept for days: nobody misses them a minute later. */
const ROUND_MS = 60_000;

/** What dialects hold for clients that have not come back. */
export class ExpiredBindings {
  private nextAt = 0;

  constructor(private readonly store: Pick<Store, 'removeExpiredBindings'>) {}

  async sweep(now: number): Promise<void> {
    if (now < this.nextAt) return;
    const removed = await this.store.removeExpiredBindings(new Date(now).toISOString(), BINDINGS_A_ROUND);
    if (removed < BINDINGS_A_ROUND) this.nextAt = now + ROUND_MS;
  }
}
