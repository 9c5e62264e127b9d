import type { Journal } from '#contracts';
import type { Store } from '#store';
import { usageRowsOf } from '#turn';

/**
 * Adds what the turn's committed steps have used to the sums of their day. Done by who committed them, by who takes the
 * turn over and by who ends it: each step counts once. In their order, because a later step hides an earlier one.
 */
export async function countUsage(
  store: Pick<Store, 'addUsage'>,
  { turn, steps }: Pick<Journal, 'turn' | 'steps'>,
): Promise<void> {
  for (const step of steps) {
    for (const row of usageRowsOf(turn, step)) await store.addUsage(row);
  }
}
