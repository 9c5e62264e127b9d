import type { Journal } from '#contracts';
import type { Store } from '#store';
import { usageRowsOf } from '#turn';

/**
 * Adds what the turn's committed steps have used to the sums of their day. Done by the driver that committed them, by
 * the next driver and by the process that ends the turn: each step counts once. In their order, because a later step
 * hides an earlier one.
 */
export async function countUsage(
  store: Pick<Store, 'addUsage'>,
  { turn, steps }: Pick<Journal, 'turn' | 'steps'>,
): Promise<void> {
  for (const step of steps) {
    for (const row of usageRowsOf(turn, step)) await store.addUsage(row);
  }
}
