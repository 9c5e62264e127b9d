/** One line of the table. `ratio` compares medians (or whole runs) with the raw limit of the same run. */
export interface Row {
  name: string;
  unit: 'ms' | 'events/s' | 'MiB' | 'ratio';
  samples: number;
  p50: number;
  p99: number;
  max: number;
  raw?: { p50: number; p99: number; max: number };
  ratio?: { p50: number; p99: number };
  goal?: string;
}

export interface Spread {
  samples: number;
  p50: number;
  p99: number;
  max: number;
}

export function spreadOf(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? NaN };
}

/** Our figures with the raw limit next to them. */
export function compared(name: string, ours: number[], raw: number[], goal: string): Row {
  const [mine, limit] = [spreadOf(ours), spreadOf(raw)];
  return {
    name,
    unit: 'ms',
    ...mine,
    raw: { p50: limit.p50, p99: limit.p99, max: limit.max },
    ratio: { p50: mine.p50 / limit.p50, p99: mine.p99 / limit.p99 },
    goal,
  };
}

export function formatTable(rows: Row[]): string {
  const head = ['measurement', 'n', 'p50', 'p99', 'max', 'raw p50', 'ratio p50', 'ratio p99', 'goal'];
  const lines = rows.map((row) => [
    `${row.name} (${row.unit})`,
    String(row.samples),
    figure(row.p50),
    figure(row.p99),
    figure(row.max),
    figure(row.raw?.p50),
    figure(row.ratio?.p50),
    figure(row.ratio?.p99),
    row.goal ?? '',
  ]);
  const all = [head, head.map(() => '---'), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function figure(value: number | undefined): string {
  // Of no sample at all.
  if (value === undefined || Number.isNaN(value)) return '';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
