/**
 * Runs the task for every item, for at most `limit` of them at a time. Rejects with the first error; tasks that run
 * then still finish.
 */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
