import type { Clock } from './clock.port.js';

/** Aborts with a `TimeoutError` after `timeoutMs`. If `signal` aborts earlier, aborts with its reason. */
export function limitTime(clock: Pick<Clock, 'after'>, timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const late = new AbortController();
  const abort = () => late.abort(new DOMException(`Not finished within ${timeoutMs} ms.`, 'TimeoutError'));
  const timer = clock.after(timeoutMs, abort, { unref: true });
  if (!signal) return late.signal;
  signal.addEventListener('abort', () => timer.cancel(), { once: true, signal: late.signal });
  return AbortSignal.any([signal, late.signal]);
}
