import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { startProcess, type ProcessKind, type SwitchyardProcess } from '../services/processes.js';
import { mongoForTest, rabbitmqForTest, type RabbitmqForTest } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { listsAll, offersAll, serversOf } from './offered-tools.js';
import { Viewer } from './viewer.js';

type Kind = Exclude<ProcessKind, 'standalone'>;
type Environment = Record<string, string>;

export interface ClusterOptions {
  /** One process for each environment given; default two of each kind. */
  gateways?: Environment[];
  orchestrators?: Environment[];
  workers?: Environment[];
  /** Private services instead of the run's shared ones. */
  services?: { rabbitmqUrl: string; mongodbUrl: string };
  /** More for the file that `CONFIG` names. */
  settings?: Record<string, unknown>;
}

/** Under load, many processes start at once. */
export const CLUSTER_START_MS = 90_000;

const SUSPECTS_NOBODY_MS = 10_000;

/** One person in many tests: the limits of a user would only be in the way. */
const SETTINGS = {
  limits: { connections_per_minute: 100_000, messages_per_minute: 100_000, turns_at_once: 10_000 },
  drain: { grace_ms: 3_000 },
};

/** A whole installation of three kinds of processes; on a vhost and a database of its own unless told otherwise. */
export class Cluster {
  readonly gateways: SwitchyardProcess[] = [];
  readonly orchestrators: SwitchyardProcess[] = [];
  readonly workers: SwitchyardProcess[] = [];
  private readonly viewers: Viewer[] = [];
  private readonly environments = new Map<SwitchyardProcess, Environment>();
  private lastStartAt = 0;

  private constructor(
    private readonly shared: Environment,
    private readonly folder: string,
    /** Only with the run's shared broker. */
    private readonly rabbitmq: RabbitmqForTest | undefined,
    /** What the processes write, read next to them. */
    readonly store: Store,
  ) {}

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const rabbitmq = options.services ? undefined : await rabbitmqForTest();
    const rabbitmqUrl = options.services?.rabbitmqUrl ?? rabbitmq!.url;
    const mongodbUrl = options.services?.mongodbUrl ?? (await mongoForTest())!.url;
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-cluster-'));
    const config = join(folder, 'switchyard.json');
    writeFileSync(config, JSON.stringify({ ...SETTINGS, ...options.settings }));
    const shared = { RABBITMQ_URL: rabbitmqUrl, MONGODB_URL: mongodbUrl, CONFIG: config };
    const store = createStore({ ...systemTime(), url: mongodbUrl });
    await store.open();
    const cluster = new Cluster(shared, folder, rabbitmq, store);
    const { gateways = [{}, {}], orchestrators = [{}, {}], workers = [{}, {}] } = options;
    await Promise.all([
      cluster.addAll('gateway', gateways),
      cluster.addAll('orchestrator', orchestrators),
      cluster.addAll('tool-worker', workers),
    ]);
    const servers = workers.flatMap(serversOf);
    await Promise.all(cluster.gateways.map((gateway) => listsAll(gateway, servers)));
    return cluster;
  }

  /** Starts one more process and waits until it takes work, and has all the tools that it is to have. */
  async add(kind: Kind, env: Environment = {}): Promise<SwitchyardProcess> {
    const started = await this.launch(kind, env);
    this.listOf(kind).push(started);
    return started;
  }

  private async addAll(kind: Kind, environments: Environment[]): Promise<void> {
    this.listOf(kind).push(...(await Promise.all(environments.map((env) => this.launch(kind, env)))));
  }

  private async launch(kind: Kind, env: Environment): Promise<SwitchyardProcess> {
    const started = await startProcess(
      kind,
      { ...this.shared, ...env },
      { readyTimeoutMs: CLUSTER_START_MS },
    );
    this.environments.set(started, env);
    this.lastStartAt = performance.now();
    if (kind === 'tool-worker') await offersAll(started, env);
    return started;
  }

  /** Ends the process and forgets it. */
  async end(process: SwitchyardProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.forget(process);
    await process.kill(signal);
  }

  /** The same process anew, on the same port. */
  async startAgain(ended: SwitchyardProcess): Promise<SwitchyardProcess> {
    const env = { ...this.environments.get(ended), PORT: String(ended.port) };
    return this.add(ended.kind as Kind, env);
  }

  /** Resolves when every process may suspect others: not within 10 s of its own (re)connect. */
  async settled(): Promise<void> {
    const isOld = () => performance.now() - this.lastStartAt > SUSPECTS_NOBODY_MS;
    await waitFor(isOld, { what: 'processes that are 10 s old', timeoutMs: 2 * SUSPECTS_NOBODY_MS });
  }

  /** The process that holds the latest claim on a turn or a call. */
  async ownerOf(workId: string): Promise<SwitchyardProcess> {
    const owner = await waitFor(async () => (await this.store.listClaims(workId)).at(-1)?.owner, {
      what: `a claim on ${workId}`,
    });
    // Every process says its id in its log when it has started.
    const found = this.all.find(({ log }) => log.includes(owner));
    if (!found) throw new Error(`${owner} is none of the cluster's processes`);
    return found;
  }

  get all(): SwitchyardProcess[] {
    return [...this.gateways, ...this.orchestrators, ...this.workers];
  }

  get mongodbUrl(): string {
    return this.shared.MONGODB_URL!;
  }

  get broker(): RabbitmqForTest {
    if (!this.rabbitmq) throw new Error('this cluster runs on a private broker');
    return this.rabbitmq;
  }

  /** What any process, ended ones too, has logged as an error so far. Faults around it are no error of a process. */
  get errors(): string[] {
    const lines = [...this.environments.keys()].flatMap(({ log }) => log.split('\n'));
    return lines.filter((line) => /"level":"(error|fatal)"|^The .* cannot start/.test(line));
  }

  /** A viewer connected to one of the gateways. */
  async view(gateway: SwitchyardProcess = this.gateways[0]!): Promise<Viewer> {
    const viewer = await Viewer.connect(gateway.url);
    this.viewers.push(viewer);
    return viewer;
  }

  closeViewers(): void {
    for (const viewer of this.viewers.splice(0)) viewer.close();
  }

  async stop(): Promise<void> {
    this.closeViewers();
    await Promise.all(this.all.map((process) => process.kill()));
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private listOf(kind: Kind): SwitchyardProcess[] {
    return { gateway: this.gateways, orchestrator: this.orchestrators, 'tool-worker': this.workers }[kind];
  }

  private forget(process: SwitchyardProcess): void {
    const list = this.listOf(process.kind as Kind);
    list.splice(list.indexOf(process), 1);
  }
}
