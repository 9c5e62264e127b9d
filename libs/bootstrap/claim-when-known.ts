import type { Store } from '#store';
import type { Heartbeat } from './heartbeat.js';

/**
 * The same store, but a process that may be counted as dead claims nothing before its next beat: the other processes
 * would give up its claims while it runs them.
 */
export function claimWhenKnown(store: Store, heartbeat: Pick<Heartbeat, 'beKnown'>): Store {
  const claim: Store['claim'] = async (row) => {
    await heartbeat.beKnown();
    return store.claim(row);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'claim') return claim;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
