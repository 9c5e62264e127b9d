import { loadToolWorkerConfig, runMain, Service, startOpsServer, type BusIdentity } from '#bootstrap';
import { createRabbitmqBus, type Bus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { createToolsets } from '#toolsets';
import { startToolWorker, startWorker } from './start-tool-worker.app.js';
import { overridesFor } from './overrides-for.js';

await runMain('tool worker', async () => {
  const config = loadToolWorkerConfig(process.env);
  const { logLevel, journal } = config;
  const time = systemTime();
  const logger = createLogger({ role: 'worker', level: logLevel });
  const store = 'mongodbUrl' in journal ? createStore({ ...time, url: journal.mongodbUrl }) : undefined;
  const service = new Service({ role: 'worker', logger, store, config, ...time });
  const { health, metrics, drain } = service;
  const hosts = await createToolsets(config, { logger, metrics, store, ...time });
  const toolsets = hosts.map(({ name }) => name);
  await startOpsServer({ health, metrics }, config.ops ?? config);
  await service.open();
  const createBus = (identity: BusIdentity) =>
    createRabbitmqBus({ url: config.rabbitmqUrl, logger, ...identity });
  const own = {
    log: logger,
    metrics,
    hosts,
    questionTimes: { expireMs: config.questionMs },
    overridesFor: overridesFor(config),
  };
  const { member, running } = await ('group' in journal
    ? startInGroup(service, own, { group: journal.group, createBus, toolsets: () => toolsets })
    : startWithStore(service, own, createBus));
  health.addCheck('offer', () => running.worker.isOffered);
  member.reportLoad(() => running.worker.load);
  drain.addStep('tool worker', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: member.processId, toolsets }, 'tool worker ready');
});

type Own = Pick<Parameters<typeof startWorker>[0], 'log' | 'metrics' | 'hosts' | 'overridesFor'> &
  Pick<Parameters<typeof startToolWorker>[0], 'metrics'>;

async function startWithStore(service: Service, own: Own, createBus: (identity: BusIdentity) => Bus) {
  const member = await service.join('worker', createBus);
  return { member, running: await startToolWorker({ ...member.part, ...own }) };
}

async function startInGroup(
  service: Service,
  own: Own,
  { group, ...options }: { group: string } & Parameters<Service['joinGroup']>[1],
) {
  const member = await service.joinGroup(group, options);
  return { member, running: await startWorker({ ...member.part, ...own }, () => member.join()) };
}
