/** 100 ms, 200 ms … 5 s, less a random half: processes that lost the broker together do not return together. */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const fullMs = Math.min(5_000, 100 * 2 ** failures);
  return fullMs * (0.5 + random() / 2);
}
