import { observeCalls, storeKind, type Metrics } from '#observability';
import { StoreUnavailableError, type Store } from '#store';
import type { Clock } from '#time';

/** The same store, with its operations timed and its taken keys counted. */
export function observeStore(
  store: Store,
  clock: Pick<Clock, 'now'>,
  { storeLatency, storeDuplicates }: Pick<Metrics, 'storeLatency' | 'storeDuplicates'>,
): Store {
  return observeCalls(store, clock, ({ method, outcome, seconds, result }) => {
    const isUnavailable = outcome === 'error' && result instanceof StoreUnavailableError;
    storeLatency.observe(
      { kind: storeKind(method), outcome: isUnavailable ? 'unavailable' : outcome },
      seconds,
    );
    if (outcome === 'ok' && isDuplicate(result)) storeDuplicates.inc({ operation: method });
  });
}

function isDuplicate(result: unknown): boolean {
  if (result === 'taken') return true;
  return typeof result === 'object' && result !== null && 'won' in result && result.won === false;
}
