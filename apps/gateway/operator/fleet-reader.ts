import type { FleetState, ListedProcess, ListedToolset, ToolsetLoad } from '#contracts';
import { deadLetterQueue, toolsQueue, type Bus } from '#messaging';
import type { Store } from '#store';

export interface FleetReaderDeps {
  store: Pick<Store, 'listProcesses'>;
  bus: Pick<Bus, 'inspect'>;
  peers: { isDead(processId: string): Promise<boolean> };
  offered: { listToolsets(): string[]; workersOf(toolset: string): number };
}

/** What operators see of processes, toolsets and queues. */
export class FleetReader {
  constructor(private readonly deps: FleetReaderDeps) {}

  async read(): Promise<FleetState> {
    const processes = await this.listProcesses();
    const [toolsets, turns, results, dead_letters] = await Promise.all([
      Promise.all(this.toolsetsOf(processes).map((name) => this.toolset(name, processes))),
      this.messagesIn('turns'),
      this.messagesIn('results'),
      this.messagesIn(deadLetterQueue.name),
    ]);
    return { processes, toolsets, queues: { turns, results, dead_letters } };
  }

  async listProcesses(): Promise<ListedProcess[]> {
    const rows = await this.deps.store.listProcesses();
    const listed = rows.map(async ({ _id: id, beat: _beat, load = {}, ...row }) => {
      return { id, ...row, load, is_alive: !(await this.deps.peers.isDead(id)) };
    });
    return (await Promise.all(listed)).sort((a, b) => (a.id < b.id ? -1 : 1));
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
  async messagesIn(queue: string): Promise<number | undefined> {
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
