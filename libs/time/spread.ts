/** The result of `Random.jitter` for a time and a number from 0 to 1. */
export function spread(ms: number, float: number): number {
  return ms * (0.75 + float / 2);
}
