import { StoreUnavailableError } from '#store';

/**
 * Runs a handler of a delivery. When the process leaves while the store is down, it never settles, so the delivery
 * stays unacknowledged and returns to its queue with the connection. An error would make it a dead letter.
 *
 * @param leaving aborted when the process no longer waits for the store
 */
export async function keepUnacknowledged<T>(leaving: AbortSignal, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    if (!leaving.aborted || !(error instanceof StoreUnavailableError)) throw error;
    return new Promise(() => undefined);
  }
}
