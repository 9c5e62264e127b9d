import { formatCost } from '../format/cost.js';
import { formatNumber } from '../format/durations.js';
import type { AllUsage, UsageSums } from './operator-api.js';

/** The columns of `UsageCells`. */
export function UsageHeads() {
  return ['Tokens in', 'Cached', 'Tokens out', 'Cost'].map((name) => (
    <th key={name} scope="col" className="right">
      {name}
    </th>
  ));
}

/** Undefined: nothing was used. */
export function UsageCells({ usage }: { usage: UsageSums | undefined }) {
  const tokens = [usage?.input_tokens, usage?.cached_tokens, usage?.output_tokens];
  const texts = tokens.map((count) => (count === undefined ? '–' : formatNumber(count)));
  return [...texts, usage?.cost ? formatCost(usage.cost) : '–'].map((text, i) => (
    <td key={i} className="right">
      {text}
    </td>
  ));
}

/** The days that a table of usage is about. */
export function daysText({
  from,
  to,
  is_cut: isCut,
}: Pick<AllUsage<unknown>, 'from' | 'to' | 'is_cut'>): string {
  return `${from} to ${to}${isCut ? ', the first rows only' : ''}`;
}
