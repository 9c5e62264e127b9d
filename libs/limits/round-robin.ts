/** Round by round one of each; what belongs to one of them stays in its order. */
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
