import { parseArgs } from 'node:util';

export const USAGE = `Usage: switchyard-tool-worker                     starts a worker
       switchyard-tool-worker check [folder]      reviews the files of tools in a folder (default: TOOLS_DIR, ./tools)

Options of check:
  --running <url>  also compare them with the tools that the gateway at this address offers: what an update would
                   break. SWITCHYARD_TOKEN is sent if it is set
  --json           as JSON

  -h, --help       prints this text

check ends with 1 if there is an error, and needs no settings. A worker needs RABBITMQ_URL and WORKER_GROUP, as
variables or in a file .env: the README of @switchyard/tool-worker explains every setting.
`;

export type GroupCommand =
  | { kind: 'start' }
  | { kind: 'help' }
  | { kind: 'check'; folder?: string; running?: string; json: boolean }
  | { kind: 'wrong'; problem: string };

/** What the words after `switchyard-tool-worker` ask for. */
export function readCommand(words: string[]): GroupCommand {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        running: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const { help, running, json } = values;
    if (help || positionals[0] === 'help') return { kind: 'help' };
    const [command, folder, ...more] = positionals;
    if (command === undefined && running === undefined && !json) return { kind: 'start' };
    if (command !== 'check' || more.length > 0)
      return { kind: 'wrong', problem: `${words.join(' ')} is not a command` };
    if (running !== undefined && !/^https?:\/\//.test(running))
      return { kind: 'wrong', problem: '--running must be a URL that starts with http:// or https://' };
    return { kind: 'check', folder, running, json };
  } catch (error) {
    return { kind: 'wrong', problem: (error as Error).message };
  }
}
