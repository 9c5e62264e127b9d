import type {
  FleetState,
  ListedProcess,
  ListedToolset,
  ProcessLoad,
  ToolsetLoad,
  ToolsetOffer,
} from '#contracts';
import type { KnownSwitches } from '#journal';
import { deadLetterQueue, toolsQueue, type Bus } from '#messaging';
import type { Store } from '#store';
import { FreshReads, timestampOf, within, type Clock } from '#time';
import { modelsLeft } from './models-left.js';

/** Many people may ask why their turns wait, most of all when much waits. */
const FRESH = { freshMs: 1_000, maxRemembered: 500 };

/** A broker that is stalled must not hold up what else is known. */
const INSPECT_MS = 1_000;

export interface FleetReaderDeps {
  clock: Pick<Clock, 'now' | 'wall' | 'after'>;
  store: Pick<Store, 'listProcesses'>;
  bus: Pick<Bus, 'inspect'>;
  peers: { isDead(processId: string): Promise<boolean> };
  switches: Pick<KnownSwitches, 'pauseOf' | 'all'>;
  offered: {
    listToolsets(): string[];
    workersOf(toolset: string): number;
    describe(toolset: string): ToolsetOffer | undefined;
  };
}

/** What operators see of processes, toolsets and queues; up to 1 s old. */
export class FleetReader {
  private readonly processes: FreshReads<ListedProcess[]>;
  private readonly queues: FreshReads<number | undefined>;

  constructor(private readonly deps: FleetReaderDeps) {
    this.processes = new FreshReads(deps.clock, FRESH);
    this.queues = new FreshReads(deps.clock, FRESH);
  }

  async read(): Promise<FleetState> {
    const processes = await this.listProcesses();
    const [toolsets, turns, results, dead_letters] = await Promise.all([
      Promise.all(this.toolsetsOf(processes).map((name) => this.offeredToolset(name, processes))),
      this.messagesIn('turns'),
      this.messagesIn('results'),
      this.messagesIn(deadLetterQueue.name),
    ]);
    const at = timestampOf(this.deps.clock);
    const models = modelsLeft(processes);
    return { at, processes, toolsets, models, queues: { turns, results, dead_letters } };
  }

  listProcesses(): Promise<ListedProcess[]> {
    return this.processes.get('', () => this.readProcesses());
  }

  private async readProcesses(): Promise<ListedProcess[]> {
    const rows = await this.deps.store.listProcesses();
    const listed = rows.map(async ({ _id: id, load = {}, ...row }) => {
      return { id, ...row, load, is_alive: !(await this.deps.peers.isDead(id)) };
    });
    return (await Promise.all(listed)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  private async offeredToolset(name: string, processes: readonly ListedProcess[]): Promise<ListedToolset> {
    return { ...(await this.toolset(name, processes)), ...this.deps.offered.describe(name) };
  }

  async toolset(name: string, processes: readonly ListedProcess[]): Promise<ListedToolset> {
    const calls = await this.messagesIn(toolsQueue(name));
    const living = processes.filter(({ is_alive, load }) => is_alive && hosts(load, name));
    const loads = living.map(({ load }) => load.toolsets![name]!);
    const sum = (field: keyof ToolsetLoad) => loads.reduce((total, load) => total + load[field], 0);
    const per_second = sum('per_second');
    return {
      name,
      ...(calls === undefined ? {} : { calls }),
      workers: this.deps.offered.workersOf(name),
      running: sum('running'),
      slots: sum('slots'),
      per_second,
      draining: living.filter(({ load }) => load.draining).length,
      is_paused: this.isPaused(name),
      ...this.blockedTools(name),
      ...estimateOf(calls, per_second),
    };
  }

  /** Undefined if the broker does not say. */
  messagesIn(queue: string): Promise<number | undefined> {
    return this.queues.get(queue, () => this.inspect(queue));
  }

  private async inspect(queue: string): Promise<number | undefined> {
    try {
      const state = await within(this.deps.clock, this.deps.bus.inspect(queue), INSPECT_MS);
      return state === 'missing' ? 0 : state.messages;
    } catch {
      return undefined;
    }
  }

  private isPaused(toolset: string): boolean {
    return this.deps.switches.pauseOf(`${toolset}.`)?.kind === 'toolset';
  }

  private blockedTools(toolset: string): { blocked_tools?: string[] } {
    const tools = this.deps.switches.all.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
    const blocked = tools.filter((name) => name.startsWith(`${toolset}.`)).sort();
    return blocked.length === 0 ? {} : { blocked_tools: blocked };
  }

  private toolsetsOf(processes: readonly ListedProcess[]): string[] {
    const hosted = processes.flatMap(({ load }) => Object.keys(load.toolsets ?? {}));
    return [...new Set([...hosted, ...this.deps.offered.listToolsets()])].sort();
  }
}

function hosts({ toolsets = {} }: ProcessLoad, name: string): boolean {
  return Object.hasOwn(toolsets, name);
}

function estimateOf(calls: number | undefined, perSecond: number): { estimate_ms?: number } {
  if (calls === undefined || perSecond === 0) return {};
  return { estimate_ms: Math.round((calls / perSecond) * 1_000) };
}
