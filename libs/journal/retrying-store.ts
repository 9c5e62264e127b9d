import { StoreUnavailableError, type Store } from '#store';
import { backOffMs, type Time } from '#time';

const PAUSES = { firstMs: 200, longestMs: 2_000 };

type AnyMethod = (...args: unknown[]) => unknown;

/**
 * The same store, for work that must not be lost. While it is down, every operation waits and is retried with the same
 * arguments, so that unsaved output is committed when the store returns. An insert whose answer was lost is recognised
 * by its row. Once `signal` is aborted, errors come through.
 */
export function retryingStore(store: Store, signal: AbortSignal, time: Time): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => retry(() => (value as AnyMethod).apply(target, args), signal, time);
    },
  });
}

async function retry(
  operation: () => unknown,
  signal: AbortSignal,
  { clock, random }: Time,
): Promise<unknown> {
  for (let failures = 0; ; failures++) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
      await clock.sleep(backOffMs(failures, PAUSES, random));
    }
  }
}
