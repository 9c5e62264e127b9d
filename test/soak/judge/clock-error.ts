/**
 * Rows are stamped with the store's time as their process knows it: to half of a round trip, and longer ones than a
 * second do not count (`libs/time/following-clock.ts`). Starts are stamped by the machine's own clock.
 */
const LARGEST_ERROR_MS = 500;

/** Whether something that happened at `at`, ms since 1970, surely came before the row with this time. */
export function isBeforeRow(at: number, row: { at: string }): boolean {
  return at < Date.parse(row.at) - LARGEST_ERROR_MS;
}
