/** A store that is away must not hold up a Stop. */
export function unlessAborted<T>(loading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    loading.then(resolve, reject);
  });
}
