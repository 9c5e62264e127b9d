import { loadToolWorkerConfig, runMain, Service, startOpsServer } from '#bootstrap';
import { createRabbitmqBus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { createToolsets } from '#toolsets';
import { startToolWorker } from './start-tool-worker.app.js';
import { overridesFor } from './overrides-for.js';

await runMain('tool worker', async () => {
  const config = loadToolWorkerConfig(process.env);
  const { logLevel, rabbitmqUrl } = config;
  const role = 'worker';
  const time = systemTime();
  const logger = createLogger({ role, level: logLevel });
  const store = createStore({ ...time, url: config.mongodbUrl });
  const service = new Service({ role, logger, store, config, ...time });
  const { health, metrics, drain } = service;
  const hosts = await createToolsets(config, { logger, metrics, store, ...time });
  await startOpsServer({ health, metrics, logger }, config.ops ?? config);
  await service.open();
  const member = await service.join(role, (identity) =>
    createRabbitmqBus({ url: rabbitmqUrl, logger, ...identity }),
  );
  const deps = {
    ...member.part,
    log: logger,
    metrics,
    hosts,
    questionTimes: { expireMs: config.questionMs },
    overridesFor: overridesFor(config),
  };
  const running = await startToolWorker(deps);
  health.addCheck('offer', () => running.worker.isOffered);
  member.reportLoad(() => running.worker.load);
  drain.addStep('tool worker', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: member.processId, toolsets: hosts.map(({ name }) => name) }, 'tool worker ready');
});
