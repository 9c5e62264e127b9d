import type { FaultPointName } from '#faults';
import { PASSED_BY } from './draw-plan.js';
import { BLOWS, OUTAGES, type Blow } from './strikes.js';
import type { Kind } from './simulated-process.js';
import type { World } from './world.js';

/** What one world went through, as plain values: it may have been played in another process. */
export interface Counts {
  turns: number;
  starts: number;
  unknown: number;
  modelRequests: number;
  repeatedRequests: number;
  steps: number;
  virtualMs: number;
  strikes: Record<string, number>;
  weather: Record<string, number>;
  /** How often turns ended as which status. */
  ends: Record<string, number>;
}

export function countsOf(world: World): Counts {
  const { clock, ends, faults, promises, requests, starts, strikes } = world;
  const accepted = requests.flatMap((request) => (request.what === 'accepted' ? [request.turn_id] : []));
  const ended = new Map<string, number>();
  for (const status of ends) add(ended, status, 1);
  return {
    turns: new Set(accepted).size,
    starts: starts.length,
    unknown: promises.unknowns,
    modelRequests: world.modelRequests,
    repeatedRequests: world.repeatedRequests,
    steps: clock.ran,
    virtualMs: clock.now(),
    strikes: Object.fromEntries(strikes?.counts ?? []),
    weather: { ...faults.counts },
    ends: Object.fromEntries(ended),
  };
}

/** What many walks went through together. */
export class Tally {
  walks = 0;
  turns = 0;
  starts = 0;
  modelRequests = 0;
  repeatedRequests = 0;
  steps = 0;
  virtualMs = 0;
  private readonly strikes = new Map<string, number>();
  private readonly weather = new Map<string, number>();
  private readonly ends = new Map<string, number>();

  add({ turns, starts, steps, virtualMs, strikes, weather, ends, ...counts }: Counts): void {
    this.walks++;
    this.turns += turns;
    this.starts += starts;
    this.modelRequests += counts.modelRequests;
    this.repeatedRequests += counts.repeatedRequests;
    this.steps += steps;
    this.virtualMs += virtualMs;
    addAll(this.strikes, strikes);
    addAll(this.weather, weather);
    addAll(this.ends, ends);
  }

  /** Strikes on processes and outages; lost, late and doubled messages and operations are not among them. */
  get faults(): number {
    return sum(this.strikes.values());
  }

  count(how: Blow): number {
    return this.strikesOf(`${how} `);
  }

  /** Of each way to strike each kind of process at each point that it passes: how often. */
  cells(): { how: Blow; kind: Kind; point: FaultPointName | 'anywhere'; count: number }[] {
    const passed = Object.entries(PASSED_BY) as [FaultPointName, readonly Kind[]][];
    const points = [...passed, ['anywhere', ['gateway', 'orchestrator', 'worker']] as const] as const;
    return points.flatMap(([point, kinds]) =>
      kinds.flatMap((kind) =>
        BLOWS.map((how) => ({ how, kind, point, count: this.strikes.get(`${how} ${kind} ${point}`) ?? 0 })),
      ),
    );
  }

  /** Whose name begins so. */
  strikesOf(name: string): number {
    return sum([...this.strikes].filter(([struck]) => struck.startsWith(name)).map(([, count]) => count));
  }

  /** What happened in all of them. */
  line(): string {
    const { walks, turns, starts, faults, steps, modelRequests, repeatedRequests } = this;
    const hours = Math.round(this.virtualMs / 3_600_000);
    return (
      `${walks} walks, ${turns} turns (${listed(this.ends)}), ${starts} tool starts, ` +
      `${modelRequests} requests of the model (${repeatedRequests} repeated), ` +
      `${faults} faults, ${steps} steps, ${hours} hours of a fleet`
    );
  }

  table(): string {
    const rows = new Map<string, string[]>();
    for (const { kind, point, count } of this.cells()) {
      const name = `${kind.padEnd(13)}${point}`;
      rows.set(name, [...(rows.get(name) ?? []), String(count).padStart(12)]);
    }
    const outages = new Map(OUTAGES.map((how) => [how as string, this.strikes.get(how) ?? 0]));
    return [
      this.line(),
      `besides: ${listed(outages)}; ${listed(this.weather)}`,
      ''.padEnd(32) + BLOWS.map((how) => how.padStart(12)).join(''),
      ...[...rows].sort().map(([name, counts]) => name.padEnd(32) + counts.join('')),
    ].join('\n');
  }
}

function listed(counts: Map<string, number>): string {
  return [...counts]
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function addAll(counts: Map<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) add(counts, name, count);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
