import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Said in the error: "… did not happen within 20000 ms". */
  what: string;
  timeoutMs?: number;
  intervalMs?: number;
}

/** Asks until the answer is truthy and returns it; a thrown error counts as "not yet" and is told at the end. */
export async function waitFor<T>(
  ask: () => T | Promise<T>,
  { what, timeoutMs = 20_000, intervalMs = 25 }: WaitOptions,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let lastError: unknown;
    try {
      const answer = await ask();
      if (answer) return answer;
    } catch (error) {
      if (error instanceof StopWaiting) throw error;
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`${what}: did not happen within ${timeoutMs} ms`, { cause: lastError });
    }
    await delay(intervalMs);
  }
}

/** Settles as `work` does; rejects with what did not happen when that takes longer than `timeoutMs`. */
export function inTime<T>(
  work: Promise<T>,
  { what, timeoutMs = 20_000 }: Omit<WaitOptions, 'intervalMs'>,
): Promise<T> {
  const over = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what}: did not happen within ${timeoutMs} ms`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => over.abort());
}

/** Thrown by the question itself when waiting longer is pointless. */
export class StopWaiting extends Error {}
