import type { FleetState, ListedProcess, ListedToolset, ToolsetLoad, ToolsetOffer } from '#contracts';
import { deadLetterQueue, toolsQueue, type Bus } from '#messaging';
import type { Store } from '#store';
import { timestampOf, type Clock } from '#time';
import { modelsLeft } from './models-left.js';

/** Many people may ask why their turns wait, most of all when much waits. */
const REUSE_MS = 1_000;
const MAX_QUEUES = 500;

export interface FleetReaderDeps {
  clock: Pick<Clock, 'now' | 'wall'>;
  store: Pick<Store, 'listProcesses'>;
  bus: Pick<Bus, 'inspect'>;
  peers: { isDead(processId: string): Promise<boolean> };
  offered: {
    listToolsets(): string[];
    workersOf(toolset: string): number;
    describe(toolset: string): ToolsetOffer | undefined;
  };
}

interface Read<T> {
  at: number;
  answer: Promise<T>;
}

/** What operators see of processes, toolsets and queues; up to 1 s old. */
export class FleetReader {
  private processes: Read<ListedProcess[]> | undefined;
  private readonly queues = new Map<string, Read<number | undefined>>();

  constructor(private readonly deps: FleetReaderDeps) {}

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
    if (!this.processes || this.isOld(this.processes))
      this.processes = { at: this.deps.clock.now(), answer: this.readProcesses() };
    return this.processes.answer;
  }

  private isOld({ at }: Read<unknown>): boolean {
    return this.deps.clock.now() - at >= REUSE_MS;
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
    const loads = processes
      .filter(({ is_alive }) => is_alive)
      .flatMap(({ load }) => load.toolsets?.[name] ?? []);
    const sum = (field: keyof ToolsetLoad) => loads.reduce((total, load) => total + load[field], 0);
    const per_second = sum('per_second');
    return {
      name,
      ...(calls === undefined ? {} : { calls }),
      workers: this.deps.offered.workersOf(name),
      running: sum('running'),
      slots: sum('slots'),
      per_second,
      ...estimateOf(calls, per_second),
    };
  }

  /** Undefined if the broker does not say. */
  messagesIn(queue: string): Promise<number | undefined> {
    const known = this.queues.get(queue);
    if (known && !this.isOld(known)) return known.answer;
    if (this.queues.size >= MAX_QUEUES) this.queues.clear();
    const answer = this.inspect(queue);
    this.queues.set(queue, { at: this.deps.clock.now(), answer });
    return answer;
  }

  private async inspect(queue: string): Promise<number | undefined> {
    try {
      const state = await this.deps.bus.inspect(queue);
      return state === 'missing' ? 0 : state.messages;
    } catch {
      return undefined;
    }
  }

  private toolsetsOf(processes: readonly ListedProcess[]): string[] {
    const hosted = processes.flatMap(({ load }) => Object.keys(load.toolsets ?? {}));
    return [...new Set([...hosted, ...this.deps.offered.listToolsets()])].sort();
  }
}

function estimateOf(calls: number | undefined, perSecond: number): { estimate_ms?: number } {
  if (calls === undefined || perSecond === 0) return {};
  return { estimate_ms: Math.round((calls / perSecond) * 1_000) };
}
