import { formatNumber } from '../format/durations.js';

/** `12`, or `100+` of a list that is cut at 100. */
export function atLeast(count: number, limit: number): string {
  return count < limit ? formatNumber(count) : `${formatNumber(limit)}+`;
}
