import type { Clock } from './clock.port.js';

/** `work` has not answered in time; its later result is ignored. */
export class LateError extends Error {
  override readonly name = 'LateError';

  constructor(readonly timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/** Settles as `work` does, or rejects with `LateError` when that takes longer than `timeoutMs`. */
export function within<T>(clock: Pick<Clock, 'after'>, work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => reject(new LateError(timeoutMs)));
    void work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** True when `work` settled in time, fulfilled or rejected; false after `timeoutMs`. Never rejects. */
export async function settledWithin(
  clock: Pick<Clock, 'after'>,
  work: Promise<unknown>,
  timeoutMs: number,
): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return within(clock, settled, timeoutMs).catch(() => false);
}
