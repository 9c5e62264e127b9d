import { expect } from '@jest/globals';
import { Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import type { FaultCase, Role, Toolset } from './fault-cases.js';

const DELAY_MS = 1_500;
/** A process that lived on for so many heartbeats has done what it had in hand when it was thawed. */
const BEATS = 2;
export const CLASSES = { acts: 'once', repeats: 'idempotent' } as const;
export const SETTINGS = { tools: { 'math.multiply': { approve: true } } };

/** Two of each kind of process; of the kind that a file strikes, one is made anew, and armed, for each case. */
export class FaultWorld {
  private constructor(
    readonly role: Role,
    readonly cluster: Cluster,
    readonly gates: Gates,
    private readonly mcpConfig: string,
  ) {}

  static async start(role: Role): Promise<FaultWorld> {
    const gates = await Gates.create();
    const mcpConfig = await gates.mcpConfig(CLASSES);
    const worker = { MCP_CONFIG: mcpConfig };
    const cluster = await Cluster.start({
      // Ann and Bob end at two gateways that live.
      gateways: [{}, {}],
      orchestrators: role === 'orchestrator' ? [{}] : [{}, {}],
      workers: role === 'tool-worker' ? [worker] : [worker, worker],
      settings: SETTINGS,
    });
    await cluster.settled();
    return new FaultWorld(role, cluster, gates, mcpConfig);
  }

  async arm({ point, kind, toolset }: FaultCase): Promise<SwitchyardProcess> {
    const SWITCHYARD_FAULT = `${point}:${kind === 'delay' ? `delay:${DELAY_MS}` : kind}`;
    return this.cluster.add(this.role, { SWITCHYARD_FAULT, ...this.toolsOf(toolset) });
  }

  /** After the turns have ended without it: the armed process comes back to itself, if it can. */
  async recover(armed: SwitchyardProcess, { kind }: FaultCase): Promise<void> {
    if (kind === 'kill') {
      expect(await armed.exit).toMatchObject({ signal: 'SIGKILL' });
      await this.cluster.end(armed);
      return;
    }
    if (kind === 'freeze') {
      armed.thaw();
      await this.livesOn(armed);
    }
    await armed.ready();
  }

  /** What it has in hand is finished by a drain. */
  async retire(armed: SwitchyardProcess): Promise<void> {
    if (!armed.isRunning) return;
    await this.cluster.end(armed, 'SIGTERM');
    expect(await armed.exit).toEqual({ code: 0, signal: null });
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.gates.remove();
  }

  private toolsOf(toolset: Toolset | undefined): Record<string, string> {
    return toolset ? { MCP_CONFIG: this.mcpConfig, TOOLSETS: toolset } : {};
  }

  private async livesOn(process: SwitchyardProcess): Promise<void> {
    const id = processIdOf(process);
    const beat = async () => (await this.cluster.store.listProcesses()).find(({ _id }) => _id === id)?.beat;
    const before = (await beat()) ?? 0;
    await waitFor(async () => ((await beat()) ?? 0) >= before + BEATS, {
      what: `heartbeats of the thawed ${id}`,
      timeoutMs: 20_000,
    });
  }
}

/** Every process says its id in its log when it has started. */
export function processIdOf({ log }: SwitchyardProcess): string {
  const [, id] = /"process":"([a-z]+-[0-9a-f-]{36})"/.exec(log) ?? [];
  if (id === undefined) throw new Error('the process did not say its id');
  return id;
}
