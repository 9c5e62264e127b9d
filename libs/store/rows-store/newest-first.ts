import type { Fact } from '#contracts';

/** A user has few facts, so they are sorted here and need no index. */
export function byNewest(a: Fact, b: Fact): number {
  return a.at === b.at ? compare(a._id, b._id) : compare(b.at, a.at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
