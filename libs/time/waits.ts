import type { Clock, Timer, TimerOptions } from './clock.port.js';

/** Implements `Clock.sleep` with a clock's timers. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      timer.cancel();
      reject(signal!.reason as Error);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Implements `Clock.every` with a clock's timers. */
export function repeatOn(
  clock: Pick<Clock, 'after'>,
  ms: number,
  act: () => void,
  options?: TimerOptions,
): Timer {
  const next = (): Timer =>
    clock.after(
      ms,
      () => {
        timer = next();
        act();
      },
      options,
    );
  let timer = next();
  return { cancel: () => timer.cancel() };
}
