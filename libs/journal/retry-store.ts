import { StoreUnavailableError } from '#store';

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

/**
 * Repeats a store operation while the store is down, so that output in hand is committed on its return. Only for
 * idempotent operations: every insert of ours is one.
 *
 * @throws the store's error once `signal` is aborted.
 */
export async function retryStore<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs * (0.75 + Math.random() / 2)));
    }
  }
}
