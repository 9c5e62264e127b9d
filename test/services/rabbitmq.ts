import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, runCommand } from './child.js';
import { findFreePorts } from './free-port.js';
import { RabbitmqManagement } from './rabbitmq-management.js';
import { waitFor } from './wait-for.js';

const programs = '/usr/lib/rabbitmq/bin';
const startTimeoutMs = 90_000;
const stopPatienceMs = 20_000;

/** By default a new connection or count is listed 5 s late, and a test that waits for it takes as long. */
const quickStatistics = [
  'collect_statistics_interval = 500',
  'management.sample_retention_policies.global.minute = 1',
  'management.sample_retention_policies.basic.minute = 1',
  'management.sample_retention_policies.detailed.10 = 1',
];

export interface RabbitmqOptions {
  /** More lines of rabbitmq.conf, such as `vm_memory_high_watermark.absolute = 1MB`. */
  config?: string[];
}

export interface RabbitmqService {
  readonly managementUrl: string;
  readonly prometheusUrl: string;
  readonly management: RabbitmqManagement;
  /** Broker URL of one vhost; without an argument, of the default vhost `/`. */
  url(vhost?: string): string;
  /** SIGKILL to the broker and all its children; ports and data stay for `restart()`. */
  kill(): Promise<void>;
  /** Stops it in an orderly way if it runs, and starts it on the same ports and data. */
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /**
   * Waits until SIGKILL cannot hurt a newly declared quorum queue: RabbitMQ 3.10 writes its name to disk a second
   * late, and a queue whose name is lost stays declared but never answers again.
   */
  queueOnDisk(vhost: string, queue: string): Promise<void>;
  /** `rabbitmqctl …` against this broker (takes about 2 s), for alarms and the like. */
  control(...commandArguments: string[]): Promise<string>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export function hasRabbitmq(): boolean {
  return existsSync(join(programs, 'rabbitmq-server'));
}

/** A private broker on free ports with its own data, name server (epmd) and cookie. Ready in about 9 s. */
export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<RabbitmqService> {
  const broker = new PrivateRabbitmq(
    await mkdtemp(join(tmpdir(), 'switchyard-rabbitmq-')),
    await findFreePorts(5),
  );
  try {
    await broker.configure(options.config ?? []);
    await broker.start();
  } catch (error) {
    await broker.stop();
    throw error;
  }
  return broker;
}

class PrivateRabbitmq implements RabbitmqService {
  readonly managementUrl: string;
  readonly prometheusUrl: string;
  readonly management: RabbitmqManagement;
  private readonly port: number;
  private readonly env: Record<string, string>;
  private nameServer?: Child;
  private broker?: Child;

  constructor(
    readonly directory: string,
    readonly ports: number[],
  ) {
    const [port, managementPort, prometheusPort, nameServerPort, distributionPort] = ports as [
      number,
      number,
      number,
      number,
      number,
    ];
    this.port = port;
    this.managementUrl = `http://guest:guest@127.0.0.1:${managementPort}`;
    this.prometheusUrl = `http://127.0.0.1:${prometheusPort}/metrics`;
    this.management = new RabbitmqManagement(this.managementUrl);
    this.env = brokerEnvironment(directory, nameServerPort, distributionPort);
  }

  url(vhost = '/'): string {
    return `amqp://guest:guest@127.0.0.1:${this.port}/${encodeURIComponent(vhost)}`;
  }

  async configure(lines: string[]): Promise<void> {
    const [port, managementPort, prometheusPort] = this.ports;
    const config = [
      `listeners.tcp.1 = 127.0.0.1:${port}`,
      'management.tcp.ip = 127.0.0.1',
      `management.tcp.port = ${managementPort}`,
      'prometheus.tcp.ip = 127.0.0.1',
      `prometheus.tcp.port = ${prometheusPort}`,
      ...quickStatistics,
      ...lines,
    ];
    const advanced = '[{rabbit, [{quorum_tick_interval, 500}]}].\n';
    await mkdir(join(this.directory, 'home'));
    await writeFile(join(this.directory, 'rabbitmq.conf'), config.join('\n') + '\n');
    await writeFile(join(this.directory, 'advanced.config'), advanced);
    await writeFile(join(this.directory, 'enabled_plugins'), '[rabbitmq_management,rabbitmq_prometheus].\n');
    await writeFile(join(this.directory, 'rabbitmq-env.conf'), '');
  }

  async start(): Promise<void> {
    this.nameServer ??= new Child('epmd', 'epmd', ['-address', '127.0.0.1'], { env: this.env });
    const broker = new Child('rabbitmq', join(programs, 'rabbitmq-server'), [], { env: this.env });
    this.broker = broker;
    const isListening = `/api/health/checks/port-listener/${this.port}`;
    await broker.becomeReady(() => this.management.request('GET', isListening), startTimeoutMs);
  }

  async kill(): Promise<void> {
    await this.broker?.kill('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.broker?.terminate(stopPatienceMs);
    await this.start();
  }

  freeze(): void {
    this.broker?.freeze();
  }

  thaw(): void {
    this.broker?.thaw();
  }

  async queueOnDisk(vhost: string, queue: string): Promise<void> {
    const node = this.env.RABBITMQ_NODENAME!;
    const names = join(this.directory, 'mnesia', node, 'quorum', node, 'names.dets');
    const name = `${vhost.replaceAll('/', '%2F')}_${queue}`;
    await waitFor(async () => (await readFile(names)).includes(name), { what: `${names} naming ${name}` });
  }

  control(...commandArguments: string[]): Promise<string> {
    const name = ['--node', this.env.RABBITMQ_NODENAME!, '--quiet'];
    return runCommand(join(programs, 'rabbitmqctl'), [...name, ...commandArguments], { env: this.env });
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.nameServer?.kill('SIGKILL');
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function brokerEnvironment(directory: string, nameServerPort: number, distributionPort: number) {
  const within = (name: string) => join(directory, name);
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOME: within('home'),
    ERL_EPMD_PORT: String(nameServerPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'switchyard@localhost',
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: within('mnesia'),
    RABBITMQ_LOG_BASE: within('log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_CONF_ENV_FILE: within('rabbitmq-env.conf'),
    RABBITMQ_CONFIG_FILE: within('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: within('advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: within('enabled_plugins'),
    // Makes the start script `exec` the Erlang machine: our child is the broker itself, not a shell before it.
    RABBITMQ_ALLOW_INPUT: '1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-noinput -kernel inet_dist_use_interface {127,0,0,1}',
    // A broker that is killed while it starts would leave one in the working directory.
    ERL_CRASH_DUMP: '/dev/null',
  };
}
