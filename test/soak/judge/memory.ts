import type { MemorySample } from '../evidence.js';
import { groupBy } from './group-by.js';

const MIB = 1024 * 1024;
/** A process fills its caches and the engine its heap before its memory says anything. */
const WARM_UP_MS = 60_000;
const SHORTEST_MS = 60_000;

export interface MemorySlope {
  kind: string;
  livedMs: number;
  lastMib: number;
  /** Least squares over everything after the first minute; undefined if it did not live long enough to tell. */
  mibPerMinute: number | undefined;
}

/** Of each kind the process that lived longest. */
export function memorySlopes(samples: readonly MemorySample[]): MemorySlope[] {
  const kinds = groupBy(samples, ({ kind }) => kind);
  return [...kinds]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, own]) => {
      const lives = [...groupBy(own, ({ process_id }) => process_id).values()];
      const longest = lives.reduce((a, b) => (livedMs(b) > livedMs(a) ? b : a));
      const warm = longest.filter(({ at }) => at - longest[0]!.at >= WARM_UP_MS);
      return {
        kind,
        livedMs: livedMs(longest),
        lastMib: longest.at(-1)!.rss_bytes / MIB,
        mibPerMinute: livedMs(warm) >= SHORTEST_MS ? slopeOf(warm) : undefined,
      };
    });
}

function livedMs(samples: readonly MemorySample[]): number {
  return (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
}

function slopeOf(samples: readonly MemorySample[]): number {
  const points = samples.map(({ at, rss_bytes }) => ({ x: at / 60_000, y: rss_bytes / MIB }));
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const varies = mean((point) => (point.x - x) ** 2);
  return mean((point) => (point.x - x) * (point.y - y)) / varies;
}
