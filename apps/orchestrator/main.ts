import { loadOrchestratorConfig, runMain, Service, startOpsServer } from '#bootstrap';
import { DemoModel } from '#demo-model';
import { createModel } from '#llm';
import { createRabbitmqBus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { fallbacksOf, toOrchestratorSettings } from './settings.js';
import { startOrchestrator } from './start-orchestrator.app.js';

await runMain('orchestrator', async () => {
  const config = loadOrchestratorConfig(process.env);
  const { logLevel, rabbitmqUrl } = config;
  const role = 'orchestrator';
  const time = systemTime();
  const logger = createLogger({ role, level: logLevel });
  const demo = new DemoModel(time.clock);
  const model = createModel(config.modelEnvironment, { ...time, demo, fallbacks: fallbacksOf(config) });
  const store = createStore({ ...time, url: config.mongodbUrl });
  const service = new Service({ role, logger, store, config, ...time });
  const { health, metrics, drain } = service;
  await startOpsServer({ health, metrics }, config.ops ?? config);
  await service.open();
  const member = await service.join(role, (identity) =>
    createRabbitmqBus({ url: rabbitmqUrl, logger, groups: config.groups, ...identity }),
  );
  const settings = toOrchestratorSettings(config);
  const deps = { ...member.part, model, log: logger, metrics, settings };
  const running = await startOrchestrator(deps);
  member.reportLoad(() => running.orchestrator.load);
  drain.addStep('orchestrator', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: member.processId, model: config.model }, 'orchestrator ready');
});
