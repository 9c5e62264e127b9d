import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Gates } from '../e2e/gates.js';
import { Viewer } from '../e2e/viewer.js';
import { builtProgram } from '../services/built.js';
import { runCommand } from '../services/child.js';
import { startProcess, type SwitchyardProcess } from '../services/processes.js';
import { startMongo, type MongoService } from '../services/mongo.js';
import { startRabbitmq, type RabbitmqService } from '../services/rabbitmq.js';
import { TcpProxy } from '../services/tcp-proxy.js';
import { ChangingProvider } from './changing-provider.js';
import { Prometheus } from './prometheus.js';

export type Role = 'gateway' | 'orchestrator' | 'tool-worker';
type Environment = Record<string, string>;

const READY_MS = 90_000;
const TOOLS_DIR = fileURLToPath(new URL('tools', import.meta.url));
/** Users have their fair shares only where they are told apart. */
const ACCOUNTS = { AUTH: 'jwt', JWT_SECRET: randomBytes(32).toString('hex') };
/** Calls of `held.*` that a worker runs at once. */
export const HELD_SLOTS = 4;
/** Requests to the demo model that run at once, of all orchestrators. */
const DEMO_STREAMS = 20;

/** A running installation with its services and its Prometheus, on free ports and in a folder of its own. */
export class Site {
  readonly processes: SwitchyardProcess[] = [];
  private readonly environments = new Map<SwitchyardProcess, Environment>();
  private readonly tokens = new Map<string, Promise<string>>();

  private constructor(
    private readonly folder: string,
    readonly rabbitmq: RabbitmqService,
    readonly mongo: MongoService,
    /** The network before the store. */
    readonly storeLink: TcpProxy,
    readonly provider: ChangingProvider,
    private readonly gates: Gates,
    private watching?: Prometheus,
  ) {}

  /** Signs in at a gateway. */
  async view(user: string, gateway = this.of('gateway')[0]!): Promise<Viewer> {
    return Viewer.connect(gateway.url, { token: await this.tokenOf(user) });
  }

  /** A token for this user, who is an operator, too. */
  tokenOf(user: string): Promise<string> {
    const token = this.tokens.get(user) ?? printToken(user);
    this.tokens.set(user, token);
    return token;
  }

  /** Two processes of each role; one more worker, the only one with the toolset `lone`. */
  static async start(): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-operate-'));
    const [rabbitmq, mongo, provider, gates] = await Promise.all([
      startRabbitmq(),
      startMongo({ file: true }),
      ChangingProvider.start(),
      Gates.create(),
    ]);
    const storeLink = await TcpProxy.start(mongo.url('operate'));
    const site = new Site(folder, rabbitmq, mongo, storeLink, provider, gates);
    const shared = { TOOLSETS: 'math,held,gate', MCP_CONFIG: await gates.mcpConfig({ gate: 'read' }) };
    await Promise.all([
      ...[{}, {}].map((env) => site.add('gateway', env)),
      ...[{}, {}].map((env) => site.add('orchestrator', env)),
      ...[shared, shared, { TOOLSETS: 'lone' }].map((env) => site.add('tool-worker', env)),
    ]);
    site.watching = await Prometheus.start(folder, (job) => site.targetsOf(job));
    return site;
  }

  get prometheus(): Prometheus {
    if (!this.watching) throw new Error('Prometheus has not been started');
    return this.watching;
  }

  /** Starts one more process and waits until it takes work. */
  async add(role: Role, env: Environment = {}): Promise<SwitchyardProcess> {
    const config = await this.writeSettings(DEMO_STREAMS);
    const links = { RABBITMQ_URL: this.rabbitmq.url(), MONGODB_URL: this.storeLink.url, CONFIG: config };
    const own = { gateway: ACCOUNTS, orchestrator: this.provider.env, 'tool-worker': { TOOLS_DIR } }[role];
    const started = await startProcess(role, { ...links, ...own, ...env }, { readyTimeoutMs: READY_MS });
    this.environments.set(started, env);
    this.processes.push(started);
    await this.writeTargets();
    return started;
  }

  of(role: Role): SwitchyardProcess[] {
    return this.processes.filter(({ kind }) => kind === role);
  }

  /** The worker of the toolset `lone`. */
  get loneWorker(): SwitchyardProcess {
    return this.processes.find((process) => this.environments.get(process)?.TOOLSETS === 'lone')!;
  }

  /** Ends a process; it is no target any more, as behind a name server. Returns how to start it again. */
  async end(
    process: SwitchyardProcess,
    signal: NodeJS.Signals = 'SIGKILL',
  ): Promise<(env?: Environment) => Promise<SwitchyardProcess>> {
    this.processes.splice(this.processes.indexOf(process), 1);
    await process.kill(signal);
    await this.writeTargets();
    return (env = {}) => this.add(process.kind as Role, { ...this.environments.get(process), ...env });
  }

  /** What a rolling upgrade does: SIGTERM to one after the other, each followed by its successor. */
  async replaceAll(role: Role, env: Environment = {}): Promise<void> {
    for (const process of this.of(role)) await (await this.end(process, 'SIGTERM'))(env);
  }

  /** The file that `CONFIG` names, with another limit of the demo model. */
  async writeSettings(demoStreams: number): Promise<string> {
    const path = join(this.folder, `switchyard-${demoStreams}.json`);
    const many = 100_000;
    const settings = {
      limits: { connections_per_minute: many, messages_per_minute: many, turns_at_once: many },
      drain: { grace_ms: 3_000 },
      tools: { held: { concurrency: HELD_SLOTS } },
      models: {
        demo: { streams: demoStreams, price: { input: 1, output: 5 } },
        anthropic: { price: { input: 3, output: 15 } },
      },
    };
    await writeFile(path, JSON.stringify(settings));
    return path;
  }

  async stop(): Promise<void> {
    await this.watching?.stop();
    await Promise.all(this.processes.map((process) => process.kill()));
    await this.storeLink.stop();
    await Promise.all([this.rabbitmq.stop(), this.mongo.stop(), this.provider.close(), this.gates.remove()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  private targetsOf(job: string): string {
    return join(this.folder, `${job}.json`);
  }

  private async writeTargets(): Promise<void> {
    const { host } = new URL(this.rabbitmq.prometheusUrl);
    const addresses = (role: Role) => this.of(role).map(({ port }) => `127.0.0.1:${port}`);
    const roles: Role[] = ['gateway', 'orchestrator', 'tool-worker'];
    const jobs = {
      ...Object.fromEntries(roles.map((role) => [`switchyard-${role}`, addresses(role)])),
      rabbitmq: [host],
      'rabbitmq-queues': [host],
    };
    for (const [job, targets] of Object.entries(jobs))
      await writeFile(this.targetsOf(job), JSON.stringify([{ targets }]));
  }
}

async function printToken(user: string): Promise<string> {
  const command = [builtProgram('token'), '--user', user, '--operator'];
  return (await runCommand(process.execPath, command, { env: ACCOUNTS })).trim();
}
