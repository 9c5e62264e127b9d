import type { Journal } from '#contracts';
import type { Store } from '#store';
import { usageRowsOf } from '#turn';

/**
 * Adds the usage of the turn's committed steps to the sums of their day. The driver that committed them does this, then
 * the next driver and the process that ends the turn; each step counts once. Steps are counted in order, because
 * counting a later step hides an earlier one.
 */
export async function countUsage(
  store: Pick<Store, 'addUsage'>,
  { turn, steps }: Pick<Journal, 'turn' | 'steps'>,
): Promise<void> {
  for (const step of steps) {
    for (const row of usageRowsOf(turn, step)) await store.addUsage(row);
  }
}
