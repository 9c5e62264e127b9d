import type { Size } from '../port/rows.port.js';

/** Ids of the first turns whose rows have at most `bytes` together; the very first turn is always included. */
export function fittingTurns(turns: Size[], otherRows: Size[], bytes: number): string[] {
  const sizes = new Map(turns.map((turn) => [turn.of, turn.bytes]));
  for (const row of otherRows) sizes.set(row.of, (sizes.get(row.of) ?? 0) + row.bytes);
  let sum = 0;
  const end = turns.findIndex(({ of }, at) => (sum += sizes.get(of)!) > bytes && at > 0);
  return turns.slice(0, end < 0 ? turns.length : end).map(({ of }) => of);
}
