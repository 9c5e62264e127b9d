/** Takes one item of each owner, round by round; an owner's items stay in order. */
export function roundRobin<T>(items: readonly T[], ownerOf: (item: T) => string): T[] {
  const counts = new Map<string, number>();
  const rounds: T[][] = [];
  for (const item of items) {
    const owner = ownerOf(item);
    const round = counts.get(owner) ?? 0;
    counts.set(owner, round + 1);
    (rounds[round] ??= []).push(item);
  }
  return rounds.flat();
}
