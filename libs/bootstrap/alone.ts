import type { Store } from '#store';

/**
 * For a process that holds the lock of its own store: every process named in it ended with an earlier run, so its
 * row goes at once and its work can be taken over without waiting.
 */
export async function removeEarlierProcesses(
  store: Pick<Store, 'listProcesses' | 'removeProcess'>,
): Promise<void> {
  for (const { _id } of await store.listProcesses()) await store.removeProcess(_id);
}

const TURNS_AT_ONCE = 10_000;

/**
 * Their unfinished turns have no hint any more: the sweeper's first round finds them, not the one in which they
 * would have been due.
 */
export async function makeEarlierTurnsDue(
  store: Pick<Store, 'listDueTurns' | 'setTurnDue'>,
  now = Date.now(),
): Promise<void> {
  const unfinished = await store.listDueTurns(Number.MAX_SAFE_INTEGER, TURNS_AT_ONCE);
  for (const { _id, due_at } of unfinished)
    if (due_at !== null && due_at > now) await store.setTurnDue(_id, now);
}
