// `switchyard-tool-worker` of `packages/tool-worker`: a worker in a group, with the toolsets that its people bring.
import { loadGroupWorkerConfig, runMain } from '#bootstrap';
import { createOwnToolsets } from '#toolsets';
import { joinGroup } from '../process/join-group.js';
import { runWorker } from '../process/run-worker.js';
import { runCheck } from './check-command.js';
import { readCommand, USAGE } from './read-command.js';

const WRONG_USAGE = 2;
const { stdout, stderr, env: environment } = process;
const command = readCommand(process.argv.slice(2));

if (command.kind === 'help') {
  stdout.write(USAGE);
} else if (command.kind === 'wrong') {
  stderr.write(`${command.problem}.\n\n${USAGE}`);
  process.exitCode = WRONG_USAGE;
} else if (command.kind === 'check') {
  // What a file of tools started keeps the process alive.
  const exit = (code: number) => stdout.write('', () => process.exit(code));
  await runMain('check', async () => {
    exit(await runCheck(command, { environment, write: (text) => void stdout.write(text) }));
  });
} else {
  await runMain('tool worker', () => {
    const config = loadGroupWorkerConfig(environment);
    return runWorker({
      config,
      createHosts: (sources) => createOwnToolsets(config, sources),
      join: joinGroup(config.group),
    });
  });
}
