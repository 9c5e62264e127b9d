export interface DayGroup<T> {
  name: 'Today' | 'Yesterday' | 'Last 7 days' | 'Older';
  items: T[];
}

/** Groups by local calendar day of `updated_at`, keeping the order; empty groups are left out. */
export function groupByDay<T extends { updated_at: string }>(items: readonly T[], now: Date): DayGroup<T>[] {
  const groups: DayGroup<T>[] = [];
  for (const item of items) {
    const name = nameOf(Date.parse(item.updated_at), now);
    const group = groups.find((one) => one.name === name);
    if (group) group.items.push(item);
    else groups.push({ name, items: [item] });
  }
  return groups;
}

function nameOf(at: number, now: Date): DayGroup<never>['name'] {
  if (at >= midnight(now, 0)) return 'Today';
  if (at >= midnight(now, 1)) return 'Yesterday';
  if (at >= midnight(now, 7)) return 'Last 7 days';
  return 'Older';
}

/** By calendar, because the day on which the clocks change has 23 or 25 hours. */
function midnight(now: Date, daysAgo: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
}
