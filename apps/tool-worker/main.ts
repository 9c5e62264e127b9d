import { loadToolWorkerConfig, runMain } from '#bootstrap';
import { createConnections } from '#connections';
import { createStore } from '#store';
import { createToolsets } from '#toolsets';
import { joinGroup } from './process/join-group.js';
import { joinWithStore } from './process/join-with-store.js';
import { runWorker, type WorkerProcessOptions } from './process/run-worker.js';

await runMain('tool worker', async () => {
  const config = loadToolWorkerConfig(process.env);
  const { journal } = config;
  const createHosts: WorkerProcessOptions['createHosts'] = (sources) => {
    const { store, clock, logger: log } = sources;
    const connections = store && createConnections(store, config.connections, { clock, log });
    return createToolsets(config, { ...sources, connections });
  };
  if ('group' in journal) return runWorker({ config, createHosts, join: joinGroup(journal.group) });
  await runWorker({
    config,
    createHosts,
    createStore: (time) => createStore({ ...time, url: journal.mongodbUrl }),
    join: joinWithStore,
  });
});
