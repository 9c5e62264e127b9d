import type { BusIdentity, Service, StandaloneConfig } from '#bootstrap';
import { createConnections } from '#connections';
import { DemoModel } from '#demo-model';
import { createModel } from '#llm';
import type { Bus } from '#messaging';
import type { Logger } from '#observability';
import type { ToolsetHost } from '#tools';
import { createToolsets } from '#toolsets';
import { gatewayDefaults } from '../gateway/gateway-defaults.js';
import { startGateway, type RunningGateway } from '../gateway/start-gateway.app.js';
import { fallbacksOf, toOrchestratorSettings } from '../orchestrator/settings.js';
import { startOrchestrator } from '../orchestrator/start-orchestrator.app.js';
import { startToolWorker } from '../tool-worker/start-tool-worker.app.js';
import { overridesFor } from '../tool-worker/overrides-for.js';

export interface RunningStandalone {
  gateway: RunningGateway;
  hosts: ToolsetHost[];
}

/**
 * All three kinds of process in one: the same modules, each with its own identity and bus. The tool worker starts
 * first, then the orchestrator, then the gateway; they stop in reverse order.
 */
export async function startStandalone(
  service: Service,
  config: StandaloneConfig,
  logger: Logger,
  createBus: (identity: BusIdentity) => Bus,
): Promise<RunningStandalone> {
  const { store, health, metrics, drain, clock, random } = service;
  const demo = new DemoModel(clock);
  const model = createModel(config.modelEnvironment, { clock, demo, fallbacks: fallbacksOf(config) });
  const hosts = await createToolsets(config, {
    ...{ logger, metrics, store, clock, random },
    connections: createConnections(store, config.connections, { clock, log: logger }),
    dataDir: config.dataDir,
  });
  const asWorker = await service.join('worker', createBus);
  const worker = await startToolWorker({
    ...asWorker.part,
    log: logger,
    metrics,
    hosts,
    questionTimes: { expireMs: config.questionMs },
    overridesFor: overridesFor(config),
  });
  const asOrchestrator = await service.join('orchestrator', createBus);
  const settings = toOrchestratorSettings(config);
  const orchestrator = await startOrchestrator({
    ...asOrchestrator.part,
    log: logger,
    metrics,
    model,
    settings,
  });
  const asGateway = await service.join('gateway', createBus);
  const deps = { ...gatewayDefaults(), ...asGateway.part, logger, config, health, metrics };
  const gateway = await startGateway(deps, config);
  asWorker.reportLoad(() => worker.worker.load);
  asOrchestrator.reportLoad(() => orchestrator.orchestrator.load);
  asGateway.reportLoad(() => gateway.gateway.load);
  drain.addStep('gateway', (graceMs) => gateway.drain(graceMs));
  drain.addStep('orchestrator', (graceMs) => orchestrator.drain(graceMs));
  drain.addStep('tool worker', (graceMs) => worker.drain(graceMs));
  return { gateway, hosts };
}
