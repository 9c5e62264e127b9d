import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../store-errors.js';
import { translateMongoError } from './mongo-errors.js';

const firstPauseMs = 50;
const longestPauseMs = 800;

/**
 * Tries until it works, with growing pauses, while the failure is a passing one and the budget lasts. Rejects
 * within the budget with one of the store's errors even if the server never answers; that last attempt may still
 * take effect afterwards.
 */
export async function retryWithin<T>(budgetMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + budgetMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await beforeDeadline(attempt(), deadline);
    } catch (error) {
      const failure = translateMongoError(error);
      const isLast = performance.now() + pauseMs >= deadline;
      if (isLast || !(failure instanceof StoreUnavailableError)) throw failure;
      await delay(pauseMs);
    }
  }
}

async function beforeDeadline<T>(attempt: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new StoreUnavailableError('MongoDB did not answer in time.'));
    timer = setTimeout(late, deadline - performance.now());
  });
  try {
    return await Promise.race([attempt, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
