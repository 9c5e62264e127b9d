// `switchyard-tool-worker` of `packages/tool-worker`: a worker in a group, with the toolsets that its people bring.
import { loadGroupWorkerConfig, runMain } from '#bootstrap';
import { createOwnToolsets } from '#toolsets';
import { joinGroup } from '../process/join-group.js';
import { runWorker } from '../process/run-worker.js';

await runMain('tool worker', () => {
  const config = loadGroupWorkerConfig(process.env);
  return runWorker({
    config,
    createHosts: (sources) => createOwnToolsets(config, sources),
    join: joinGroup(config.group),
  });
});
