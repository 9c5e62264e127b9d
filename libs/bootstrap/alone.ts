import type { Store } from '#store';

const TURNS_AT_ONCE = 10_000;

/**
 * For a process that holds the lock of its own store, before it has a row itself. Nobody of earlier runs can live: their
 * rows go, so that their claims count as those of the dead, and nobody has to find that out. Unfinished turns have no
 * hint any more: the sweeper's first round finds them, not the one in which they would have been due.
 */
export async function takeOverStore(
  store: Pick<Store, 'listProcesses' | 'removeProcess' | 'listDueTurns' | 'setTurnsDue'>,
  now: number,
): Promise<void> {
  const [earlier, unfinished] = await Promise.all([
    store.listProcesses(),
    store.listDueTurns(Number.MAX_SAFE_INTEGER, TURNS_AT_ONCE),
  ]);
  const waiting = unfinished.filter(({ due_at }) => due_at !== null && due_at > now);
  await Promise.all([
    ...earlier.map(({ _id }) => store.removeProcess(_id)),
    waiting.length > 0 &&
      store.setTurnsDue(
        waiting.map(({ _id }) => _id),
        now,
      ),
  ]);
}
