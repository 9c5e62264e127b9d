import type { Store } from '#store';
import type { Heartbeat } from './heartbeat.js';
import { replaceMethods } from './replace-methods.js';

/**
 * The same store, but a process that may be counted as dead claims nothing before its next beat: the other processes
 * would give up its claims while it runs them. `refresh` reads what may have changed meanwhile.
 */
export function claimWhenKnown(
  store: Store,
  heartbeat: Pick<Heartbeat, 'beKnown'>,
  refresh: () => Promise<void>,
): Store {
  return replaceMethods(store, {
    async claim(row) {
      if (await heartbeat.beKnown()) await refresh();
      return store.claim(row);
    },
  });
}
