import type { Store } from '#store';

const TURNS_AT_ONCE = 10_000;

/**
 * For a process that holds the lock of its own store. Hints for the unfinished turns of earlier runs are gone, so the
 * sweeper's first round must find these turns, not the round in which they would have been due. Every process of an
 * earlier run already counts as dead: the store removes their rows when it is opened.
 */
export async function makeEarlierTurnsDue(
  store: Pick<Store, 'listDueTurns' | 'setTurnsDue'>,
  now: number,
): Promise<void> {
  const unfinished = await store.listDueTurns(Number.MAX_SAFE_INTEGER, TURNS_AT_ONCE);
  const waiting = unfinished.filter(({ due_at }) => due_at !== null && due_at > now);
  if (waiting.length === 0) return;
  await store.setTurnsDue(
    waiting.map(({ _id }) => _id),
    now,
  );
}
