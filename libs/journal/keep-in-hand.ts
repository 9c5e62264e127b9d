import { StoreUnavailableError } from '#store';

/**
 * What a handler of deliveries does whose process leaves while the store is away: nothing any more, so that the delivery
 * stays in hand and goes back to its queue with the connection. An error would make it a dead letter.
 *
 * @param leaving aborted when the process no longer waits for the store
 */
export async function keepInHand<T>(leaving: AbortSignal, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    if (!leaving.aborted || !(error instanceof StoreUnavailableError)) throw error;
    return new Promise(() => undefined);
  }
}
