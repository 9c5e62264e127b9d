import type { Store } from '#store';
import type { Heartbeat } from './heartbeat.js';

/**
 * The same store, but who may be counted as dead claims nothing before its next beat: what it claimed would be given up
 * by the others while it runs.
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
