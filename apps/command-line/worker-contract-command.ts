import type { Command } from 'commander';
import { BusSetupError } from '#messaging';
import { toTerminalSafe } from '#observability';
import { CommandError } from './command-error.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';
import { runContract, type CaseResult } from './worker-contract/run-contract.js';

const IS_BROKEN = 1;

/** `worker-contract`: exit code 1 when the worker breaks the contract. */
export function addWorkerContractCommand(program: Command, terminal: Terminal): void {
  const { write, environment, exitWith } = terminal;
  program
    .command('worker-contract')
    .description('tries a worker without the store, in any language, against docs/worker-protocol.md')
    .argument('<command...>', 'what starts the worker, after --')
    .option('--worker-url <url>', 'the broker with the credentials of the worker (default: RABBITMQ_URL)')
    .option('--only <text>', 'cases whose title contains it', '')
    .option('--json', 'as JSON')
    .action(async (command: string[], options: { workerUrl?: string; only: string; json?: boolean }) => {
      const { RABBITMQ_URL: url } = environment;
      if (!url)
        throw new CommandError(
          'Set RABBITMQ_URL to a virtual host of its own: the suite declares queues there, and removes them.',
        );
      const { workerUrl, only, json } = options;
      const report = (result: CaseResult) => (json ? undefined : write(describe(result)));
      const onStop = terminal.onStop?.bind(terminal);
      const contract = { url, workerUrl, command, environment, onStop };
      const results = await runContract(contract, only, report).catch(explain);
      const broken = results.filter(({ problem }) => problem !== undefined).length;
      write(json ? toJson(results) : `${results.length - broken} of ${results.length} cases are kept.\n`);
      if (broken > 0) exitWith?.(IS_BROKEN);
    });
}

function describe({ title, problem, output = '' }: CaseResult): string {
  if (problem === undefined) return `kept    ${title}\n`;
  const indented = toTerminalSafe(output || '(the worker wrote nothing)').replaceAll('\n', '\n        | ');
  return `BROKEN  ${title}\n        ${toTerminalSafe(problem)}\n        | ${indented}\n`;
}

function explain(error: unknown): never {
  if (error instanceof BusSetupError) throw new CommandError(error.message);
  throw error;
}
