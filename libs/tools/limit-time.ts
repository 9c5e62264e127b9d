/** Aborts when the given signal does, and after `timeoutMs` at the latest. */
export function limitTime(signal: AbortSignal, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  // A signal made of others does not hold them: without a listener of its own this one is garbage, and never aborts.
  timeout.addEventListener('abort', () => undefined, { once: true });
  return AbortSignal.any([signal, timeout]);
}
