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
