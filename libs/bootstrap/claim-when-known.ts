import type { Store } from '#store';
import type { Heartbeat } from './heartbeat.js';
import { replaceMethods } from './replace-methods.js';

/**
 * The same store, but a process that may be counted as dead claims nothing before its next beat: the other processes
 * would give up its claims while it runs them.
 */
export function claimWhenKnown(store: Store, heartbeat: Pick<Heartbeat, 'beKnown'>): Store {
  return replaceMethods(store, {
    async claim(row) {
      await heartbeat.beKnown();
      return store.claim(row);
    },
  });
}
