import type { FaultPointName } from '#faults';
import { PASSED_BY } from './draw-plan.js';
import { BLOWS, OUTAGES, type Blow } from './strikes.js';
import type { Kind } from './simulated-process.js';
import type { World } from './world.js';

/** What many walks went through together. */
export class Tally {
  walks = 0;
  turns = 0;
  starts = 0;
  steps = 0;
  virtualMs = 0;
  private readonly strikes = new Map<string, number>();
  private readonly weather = new Map<string, number>();
  private readonly ends = new Map<string, number>();

  add(world: World): void {
    this.walks++;
    this.starts += world.starts.length;
    this.steps += world.clock.ran;
    this.virtualMs += world.clock.now();
    for (const [name, count] of world.strikes?.counts ?? []) add(this.strikes, name, count);
    for (const [name, count] of Object.entries(world.faults.counts)) add(this.weather, name, count);
    for (const status of world.ends) add(this.ends, status, 1);
    const accepted = world.requests.flatMap((request) =>
      request.what === 'accepted' ? [request.turn_id] : [],
    );
    this.turns += new Set(accepted).size;
  }

  /** Strikes on processes and outages; lost, late and doubled messages and operations are not among them. */
  get faults(): number {
    return sum(this.strikes.values());
  }

  count(how: Blow): number {
    return sum([...this.strikes].filter(([name]) => name.startsWith(`${how} `)).map(([, count]) => count));
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

  table(): string {
    const rows = new Map<string, string[]>();
    for (const { kind, point, count } of this.cells()) {
      const name = `${kind.padEnd(13)}${point}`;
      rows.set(name, [...(rows.get(name) ?? []), String(count).padStart(12)]);
    }
    const line = (counts: Map<string, number>) =>
      [...counts]
        .sort()
        .map(([name, count]) => `${name} ${count}`)
        .join(', ');
    const outages = new Map(OUTAGES.map((how) => [how as string, this.strikes.get(how) ?? 0]));
    return [
      `${this.walks} walks, ${this.turns} turns (${line(this.ends)}), ${this.starts} tool starts, ` +
        `${this.faults} faults, ${this.steps} steps, ${Math.round(this.virtualMs / 3_600_000)} hours of a fleet`,
      `besides: ${line(outages)}; ${line(this.weather)}`,
      ''.padEnd(32) + BLOWS.map((how) => how.padStart(12)).join(''),
      ...[...rows].sort().map(([name, counts]) => name.padEnd(32) + counts.join('')),
    ].join('\n');
  }
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
