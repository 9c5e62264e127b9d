import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { Cluster } from '../e2e/cluster.js';
import { listsAll } from '../e2e/offered-tools.js';
import type { StrictMessagesApi } from '../fakes/strict-messages-api.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import type { ComparedCase } from './compared-cases.js';
import type { Role } from './fault-cases.js';
import { startSteadyProvider } from './steady-provider.js';

type Environment = Record<string, string>;

const traceServer = fileURLToPath(new URL('../soak/trace-server.mjs', import.meta.url));
/** As the tools of a simulated world are. */
const TOOLS = {
  'trace.read': { class: 'read' },
  'trace.repeat': { class: 'idempotent' },
  'trace.keyed': { class: 'keyed' },
  'trace.once': { class: 'once' },
  'trace.asked': { class: 'once', approve: 'always' },
};
/** A process that lived on for so many heartbeats has done what it had in hand when it was thawed. */
const BEATS = 2;

/** Two of each kind of process, and one of the kind that a file strikes. */
export class RealFleet {
  private constructor(
    readonly cluster: Cluster,
    private readonly role: Role,
    private readonly env: Environment,
    private readonly folder: string,
    private readonly api: StrictMessagesApi,
  ) {}

  static async start(role: Role): Promise<RealFleet> {
    const { env: model, api } = await startSteadyProvider();
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-compared-'));
    const trace = {
      command: process.execPath,
      args: [traceServer],
      env: { TRACE_FILE: join(folder, 'trace') },
    };
    const MCP_CONFIG = join(folder, 'mcp.json');
    await writeFile(MCP_CONFIG, JSON.stringify({ mcpServers: { trace } }));
    const ofKind = { gateway: {}, orchestrator: model, 'tool-worker': { MCP_CONFIG, TOOLSETS: 'trace' } };
    const count = (kind: Role) => Array.from({ length: kind === role ? 1 : 2 }, () => ofKind[kind]);
    const cluster = await Cluster.start({
      gateways: count('gateway'),
      orchestrators: count('orchestrator'),
      workers: count('tool-worker'),
      settings: { tools: TOOLS },
    });
    return new RealFleet(cluster, role, ofKind[role], folder, api);
  }

  /** In the place of the only one of its kind. */
  async arm({ point, kind }: ComparedCase): Promise<SwitchyardProcess> {
    const [before] = this.ofRole;
    const armed = await this.add({ SWITCHYARD_FAULT: `${point}:${kind}` });
    await this.cluster.end(before!, 'SIGTERM');
    return armed;
  }

  /** In the place of the armed one; a gateway can be reached where that one was. */
  async replace(armed: SwitchyardProcess, { kind }: ComparedCase): Promise<void> {
    if (kind === 'drop_connection') return;
    if (kind === 'kill') {
      expect(await armed.exit).toMatchObject({ signal: 'SIGKILL' });
      await this.cluster.end(armed);
    }
    await this.add(this.role === 'gateway' ? { PORT: String(armed.port) } : {});
  }

  /** It lives on, and takes part. */
  async recover(armed: SwitchyardProcess, { kind }: ComparedCase): Promise<void> {
    if (kind === 'kill') return;
    if (kind === 'freeze') armed.thaw();
    const { store } = this.cluster;
    const id = processIdOf(armed);
    const beat = async () => (await store.listProcesses()).find(({ _id }) => _id === id)?.beat ?? 0;
    const before = await beat();
    await waitFor(async () => (await beat()) >= before + BEATS, { what: `heartbeats of ${id}` });
    await armed.ready();
  }

  /** What it has in hand is finished by a drain; the one that is left for the next case is not armed. */
  async retire(armed: SwitchyardProcess): Promise<void> {
    if (!armed.isRunning) return;
    if (this.ofRole.length === 1) await this.add({});
    await this.cluster.end(armed, 'SIGTERM');
    expect(await armed.exit).toEqual({ code: 0, signal: null });
  }

  starts(toolCallId: string): number {
    const trace = join(this.folder, 'trace');
    if (!existsSync(trace)) return 0;
    return readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.includes(toolCallId)).length;
  }

  get violations(): string[] {
    return this.api.violations.map(({ message }) => message);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get ofRole(): SwitchyardProcess[] {
    const { gateways, orchestrators, workers } = this.cluster;
    return { gateway: gateways, orchestrator: orchestrators, 'tool-worker': workers }[this.role];
  }

  private async add(more: Environment): Promise<SwitchyardProcess> {
    const added = await this.cluster.add(this.role, { ...this.env, ...more });
    await Promise.all(
      this.cluster.gateways.map((gateway) => gateway.isRunning && listsAll(gateway, ['trace'])),
    );
    return added;
  }
}

/** Every process says its id in its log when it has started. */
function processIdOf({ log }: SwitchyardProcess): string {
  const [, id] = /"process":"([a-z]+-[0-9a-f-]{36})"/.exec(log) ?? [];
  if (id === undefined) throw new Error('the process did not say its id');
  return id;
}
