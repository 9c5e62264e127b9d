import { Service, startOpsServer, type BusIdentity, type GroupWorkerConfig } from '#bootstrap';
import { createRabbitmqBus, type Bus } from '#messaging';
import { createLogger, type Logger, type Metrics } from '#observability';
import type { Store } from '#store';
import { systemTime, type Time } from '#time';
import type { ToolsetHost } from '#tools';
import { overridesFor } from '../overrides-for.js';
import type { RunningToolWorker } from '../serve-tool-worker.js';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';

type Config = Omit<GroupWorkerConfig, 'group'>;

/** What a worker's process gives to its worker. */
export interface OwnParts extends Pick<ToolWorkerDeps, 'hosts' | 'overridesFor' | 'questionTimes'> {
  log: Logger;
  metrics: Metrics;
}

/** How it takes part in the fleet: with the store, or in a group. */
export type Join = (
  service: Service,
  own: OwnParts,
  createBus: (identity: BusIdentity) => Bus,
) => Promise<{ member: Joined; running: RunningToolWorker }>;

interface Joined {
  processId: string;
  reportLoad(read: () => RunningToolWorker['worker']['load']): void;
}

export interface WorkerProcessOptions {
  config: Config;
  /** Absent: the worker has none. */
  createStore?: (time: Time) => Store;
  createHosts(sources: Time & { logger: Logger; metrics: Metrics; store?: Store }): Promise<ToolsetHost[]>;
  join: Join;
}

/** A tool worker that is a process: health and metrics on their port, and signals that drain it. */
export async function runWorker({
  config,
  createStore,
  createHosts,
  join,
}: WorkerProcessOptions): Promise<void> {
  const time = systemTime();
  const logger = createLogger({ role: 'worker', level: config.logLevel });
  const store = createStore?.(time);
  const service = new Service({ role: 'worker', logger, store, config, ...time });
  const { health, metrics, drain } = service;
  const hosts = await createHosts({ logger, metrics, store, ...time });
  await startOpsServer({ health, metrics }, config.ops ?? config);
  await service.open();
  const own = {
    log: logger,
    metrics,
    hosts,
    questionTimes: { expireMs: config.questionMs },
    overridesFor: overridesFor(config),
  };
  const { member, running } = await join(service, own, (identity) =>
    createRabbitmqBus({ url: config.rabbitmqUrl, logger, ...identity }),
  );
  health.addCheck('offer', () => running.worker.isOffered);
  member.reportLoad(() => running.worker.load);
  drain.addStep('tool worker', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: member.processId, toolsets: hosts.map(({ name }) => name) }, 'tool worker ready');
}
