import { loadStandaloneConfig, makeEarlierTurnsDue, runMain, Service, startOpsServer } from '#bootstrap';
import { createMemoryBus, createRabbitmqBus, MemoryBroker } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { DIALECT_NAMES } from '../gateway/dialects/dialects.js';
import { banner } from './banner.js';
import { startStandalone } from './start-standalone.js';

await runMain('standalone', async () => {
  const config = loadStandaloneConfig(process.env, DIALECT_NAMES);
  const { rabbitmqUrl, mongodbUrl, dataDir } = config;
  const role = 'standalone';
  const logger = createLogger({
    role,
    level: process.env.LOG_LEVEL ? config.logLevel : 'warn',
  });
  const { clock, random } = systemTime();
  const store = createStore(mongodbUrl ? { clock, random, url: mongodbUrl } : { dataDir });
  const service = new Service({ role, logger, store, config, clock, random });
  const { health, metrics } = service;
  if (config.ops) await startOpsServer({ health, metrics }, config.ops);
  await service.open();
  // The holder of the folder's lock is alone, so it takes over at once everything an earlier run left behind.
  if (!mongodbUrl) await makeEarlierTurnsDue(service.store, clock.wall());
  const broker = new MemoryBroker(clock);
  service.drain.addStep('telling', async (graceMs) => {
    process.stdout.write(
      `Stopping within ${Math.ceil(graceMs / 1000)} s. Press Ctrl C again to stop at once.\n`,
    );
  });
  const { gateway, hosts } = await startStandalone(service, config, logger, (identity) =>
    rabbitmqUrl
      ? createRabbitmqBus({ url: rabbitmqUrl, logger, groups: config.groups, ...identity })
      : createMemoryBus({ broker, logger, ...identity }),
  );
  service.ready();
  process.stdout.write(`${banner(config, gateway.port, hosts)}\n`);
});
