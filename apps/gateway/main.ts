import { loadGatewayConfig, runMain, Service } from '#bootstrap';
import { createRabbitmqBus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { startGateway } from './create-gateway.js';

await runMain('gateway', async () => {
  const config = loadGatewayConfig(process.env);
  const { drainGraceMs, notices, rabbitmqUrl } = config;
  const logger = createLogger({ role: 'gateway', level: config.logLevel });
  const service = new Service({
    logger,
    store: createStore({ url: config.mongodbUrl }),
    drainGraceMs,
    notices,
  });
  const { store, health, metrics, drain } = service;
  await service.open();
  const { bus, peers, processId } = await service.join('gateway', (identity) =>
    createRabbitmqBus({ url: rabbitmqUrl, logger, ...identity }),
  );
  const running = await startGateway(
    { store, bus, peers, processId, config, logger, health, metrics },
    config,
  );
  drain.addStep('gateway', (graceMs) => running.drain(graceMs));
  service.ready();
  logger.info({ process: processId, port: running.port, host: config.host }, 'the gateway serves clients');
});
