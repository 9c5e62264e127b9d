import type { Fact } from '#contracts';

/** Of one user there are few: sorted here, so that no index is needed for it. */
export function byNewest(a: Fact, b: Fact): number {
  return a.at === b.at ? compare(a._id, b._id) : compare(b.at, a.at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
