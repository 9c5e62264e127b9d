import { loadToolWorkerConfig } from '#bootstrap';
import { createToolsets } from '#toolsets';
import { joinGroup } from '../apps/tool-worker/process/join-group.js';
import { runWorker } from '../apps/tool-worker/process/run-worker.js';
import { GROUP, withMethod } from './bench-bus.js';

/*
 * A worker of a group for which the drivers of its calls never serve the ledger. Argument: the driver's control key.
 */

const [driver] = process.argv.slice(2) as [string];
const config = loadToolWorkerConfig(process.env);
await runWorker({
  config,
  createHosts: (sources) => createToolsets(config, sources),
  join: (service, own, createBus) =>
    joinGroup(GROUP.name)(service, own, (identity) => {
      const bus = createBus(identity);
      return withMethod(bus, 'send', (key, message) =>
        key === driver && message.type.startsWith('ledger.')
          ? Promise.resolve('returned')
          : bus.send(key, message),
      );
    }),
});
process.send?.('ready');
