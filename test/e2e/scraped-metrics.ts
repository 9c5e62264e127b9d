import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';

/** Values by series, such as `switchyard_viewers` or `switchyard_repairs_total{kind="dead_hint"}`. */
export type Series = ReadonlyMap<string, number>;

/** Sums of the series of all processes. */
export async function scrape(processes: readonly SwitchyardProcess[]): Promise<Series> {
  const texts = await Promise.all(processes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const sums = new Map<string, number>();
  for (const [, series, value] of texts.join('\n').matchAll(/^(switchyard_[^\s]+(?:\{.*\})?) (\S+)$/gm))
    sums.set(series!, (sums.get(series!) ?? 0) + Number(value));
  return sums;
}

/** Resolves when each of the series is greater than it was; a series that did not exist was 0. */
export async function untilMoved(
  processes: () => readonly SwitchyardProcess[],
  before: Series,
  expected: readonly string[],
): Promise<void> {
  let missing = expected;
  let now = before;
  const hasMoved = async () => {
    now = await scrape(processes());
    missing = missing.filter((series) => (now.get(series) ?? 0) <= (before.get(series) ?? 0));
    return missing.length === 0;
  };
  await waitFor(hasMoved, { what: 'all series to move', timeoutMs: 20_000 }).catch((error: unknown) => {
    const names = missing.map((series) => series.replace(/\{.*/, ''));
    const present = [...now].filter(([series]) => names.some((name) => series.startsWith(name)));
    const lines = present.map(([series, value]) => `  ${series} ${value}`).join('\n');
    throw new Error(`These series did not move: ${missing.join(', ')}. There are:\n${lines}`, {
      cause: error,
    });
  });
}
