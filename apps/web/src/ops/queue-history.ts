import type { FleetState } from '#contracts';

const KEPT_MS = 30 * 60_000;
/** A long queue fills the height; a short one must not look like a long one. */
const FLOOR = 24;

interface Sample {
  atMs: number;
  calls: Record<string, number>;
}

/** The lengths of queues as this page has seen them; nobody else keeps them. */
export class QueueHistory {
  private samples: readonly Sample[] = [];

  /** `fleet` is the newest one. */
  add({ at, toolsets }: Pick<FleetState, 'at' | 'toolsets'>): void {
    const atMs = Date.parse(at);
    const known = toolsets.flatMap(({ name, calls }) =>
      calls === undefined ? [] : [[name, calls] as const],
    );
    const kept = this.samples.filter((sample) => sample.atMs > atMs - KEPT_MS && sample.atMs < atMs);
    this.samples = [...kept, { atMs, calls: Object.fromEntries(known) }];
  }

  /** How long the page has been looking, at most 30 min. */
  get spanMs(): number {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    return first && last ? last.atMs - first.atMs : 0;
  }

  /** A line in a box of this size, from the oldest to the newest look; undefined for fewer than two looks. */
  pathOf(toolset: string, width: number, height: number): string | undefined {
    const points = this.samples.flatMap(({ atMs, calls }) =>
      calls[toolset] === undefined ? [] : [{ atMs, calls: calls[toolset] }],
    );
    if (points.length < 2) return undefined;
    const firstMs = this.samples[0]!.atMs;
    const highest = Math.max(FLOOR, ...points.map(({ calls }) => calls));
    const x = (atMs: number) => ((atMs - firstMs) / this.spanMs) * width;
    const y = (calls: number) => height - 1 - (calls / highest) * (height - 2);
    return `M${points.map(({ atMs, calls }) => `${x(atMs).toFixed(1)} ${y(calls).toFixed(1)}`).join(' ')}`;
  }
}
