import { backOffMs, LateError, within, type Time } from '#time';
import { StoreUnavailableError } from '../port/store-errors.js';
import { translateMongoError } from './mongo-errors.js';

const PAUSES = { firstMs: 50, longestMs: 800 };

/**
 * Retries with growing pauses while the failure is temporary and the budget lasts. Rejects within the budget with one
 * of the store's errors, even if the server never answers; that last attempt may still take effect afterwards.
 */
export async function retryWithin<T>(
  { clock, random }: Time,
  budgetMs: number,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadline = clock.now() + budgetMs;
  for (let failures = 0; ; failures++) {
    try {
      return await within(clock, attempt(), deadline - clock.now());
    } catch (error) {
      const failure = error instanceof LateError ? notInTime() : translateMongoError(error);
      const pauseMs = backOffMs(failures, PAUSES, random);
      const isLast = clock.now() + pauseMs >= deadline;
      if (isLast || !(failure instanceof StoreUnavailableError)) throw failure;
      await clock.sleep(pauseMs);
    }
  }
}

function notInTime(): StoreUnavailableError {
  return new StoreUnavailableError('MongoDB did not answer in time.');
}
