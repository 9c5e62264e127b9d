/** Rejects when `work` takes longer than `timeoutMs`; what it does then is nobody's. */
export async function resolvedWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when `work` has settled, however it ended, or after `timeoutMs`. */
export async function settledWithin(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  await resolvedWithin(work, timeoutMs).catch(() => undefined);
}
