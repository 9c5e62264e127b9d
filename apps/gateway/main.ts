import { loadGatewayConfig, runMain, Service, startOpsServer } from '#bootstrap';
import { createRabbitmqBus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { DIALECT_NAMES } from './dialects/dialects.js';
import { gatewayDefaults } from './gateway-defaults.js';
import { startGateway } from './start-gateway.app.js';

await runMain('gateway', async () => {
  const config = loadGatewayConfig(process.env, DIALECT_NAMES);
  const { logLevel, mongodbUrl, rabbitmqUrl } = config;
  const role = 'gateway';
  const time = systemTime();
  const logger = createLogger({ role, level: logLevel });
  const store = createStore({ ...time, url: mongodbUrl });
  const service = new Service({ role, logger, store, config, ...time });
  const { health, metrics, drain } = service;
  if (config.ops) await startOpsServer({ health, metrics }, config.ops);
  await service.open();
  const member = await service.join(role, (identity) =>
    createRabbitmqBus({ url: rabbitmqUrl, logger, ...identity }),
  );
  const deps = { ...gatewayDefaults(), ...member.part, config, logger, health, metrics };
  const running = await startGateway(deps, config);
  member.reportLoad(() => running.gateway.load);
  drain.addStep('gateway', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: member.processId, port: running.port, host: config.host }, 'gateway ready');
});
