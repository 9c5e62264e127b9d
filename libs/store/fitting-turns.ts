/** How much the store keeps in one row of a turn. */
export interface RowSize {
  turn_id: string;
  bytes: number;
}

/** Ids of the first of these turns whose rows have no more than `bytes` together; the very first one in any case. */
export function fittingTurns(turns: RowSize[], otherRows: RowSize[], bytes: number): string[] {
  const sizes = new Map(turns.map((turn) => [turn.turn_id, turn.bytes]));
  for (const row of otherRows) sizes.set(row.turn_id, (sizes.get(row.turn_id) ?? 0) + row.bytes);
  let sum = 0;
  const end = turns.findIndex(({ turn_id }, at) => (sum += sizes.get(turn_id)!) > bytes && at > 0);
  return turns.slice(0, end < 0 ? turns.length : end).map(({ turn_id }) => turn_id);
}
