import type { Command } from 'commander';
import { ConfigError, loadWorkerGroups } from '#bootstrap';
import { rightsOf, type WorkerGroup } from '#messaging';
import { CommandError } from './command-error.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const DEFAULT_VHOST = '/';

/** `groups`: the rights that the broker users of workers without the store need. */
export function addGroupsCommand(program: Command, { write, environment }: Terminal): void {
  program
    .command('groups')
    .description('broker rights of the groups of workers in CONFIG, as commands of rabbitmqctl')
    .option('--vhost <name>', 'of the broker', DEFAULT_VHOST)
    .option('--json', 'as JSON')
    .action(({ vhost, json }: { vhost: string; json?: boolean }) => {
      const groups = readGroups(environment);
      if (groups.length === 0) throw noGroups(environment);
      if (json) return write(toJson(groups.map((group) => ({ ...group, rights: rightsOf(group) }))));
      write(groups.map((group) => toCommands(group, vhost)).join('\n'));
    });
}

function readGroups(environment: Terminal['environment']): WorkerGroup[] {
  try {
    return loadWorkerGroups(environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message);
    throw error;
  }
}

function noGroups({ CONFIG: file = '' }: Terminal['environment']): CommandError {
  const looked =
    file === ''
      ? 'CONFIG is not set, and ./switchyard.json does not exist or names no groups of workers.'
      : `${file}, which CONFIG names, has no groups of workers.`;
  return new CommandError(
    `${looked} Set CONFIG to the file of the orchestrators, with "groups" as in docs/worker-groups.md.`,
  );
}

function toCommands(group: WorkerGroup, vhost: string): string {
  const { configure, write, read } = rightsOf(group);
  const user = `switchyard-${group.name}`;
  const rights = [configure, write, read].map(quoted).join(' ');
  return [
    `rabbitmqctl add_user ${user}`,
    `rabbitmqctl set_permissions --vhost ${quoted(vhost)} ${user} ${rights}`,
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
