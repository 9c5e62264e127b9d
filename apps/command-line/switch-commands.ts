import type { Command } from 'commander';
import {
  LOG_LEVELS,
  QUARANTINE,
  type AcceptedDefinition,
  type ListedSwitch,
  type ListedSwitches,
  type LogLevel,
  type SetSwitch,
  type UnsetSwitch,
} from '#contracts';
import { toTerminalSafe } from '#observability';
import { CommandError } from './command-error.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

const PATH = '/api/admin/switches';
const HEADER = ['KIND', 'NAME', 'BY', 'SINCE', 'ABOUT'] as const;
const REASON = ['--reason <text>', 'why, for everybody whom it stops'] as const;
const JSON_OPTION = ['--json', 'as JSON'] as const;

interface Options {
  reason?: string;
  json?: boolean;
}

/** `switches`, `pause`, `drain`, `refuse-turns`, `log-level` and `resume`. */
export function addSwitchCommands(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  const set = async (place: string, body: object, { json }: Options, done: string) => {
    const answer = await openApi().put<SetSwitch>(`${PATH}/${place}`, body);
    if (json) return write(toJson(answer));
    write(`${toTerminalSafe(done)}\n`);
    if (!answer.is_known) write(`No living worker has ${answer.name}. If the name is wrong, resume it.\n`);
  };
  const setting = (name: string, what: string) =>
    program
      .command(name)
      .description(what)
      .option(...REASON)
      .option(...JSON_OPTION);
  program
    .command('switches')
    .description('what operators have paused, drained or refused')
    .option(...JSON_OPTION)
    .action(async ({ json }: Options) => {
      const listed = await openApi().get<ListedSwitches>(PATH);
      if (json) return write(toJson(listed));
      const { switches } = listed;
      write(
        switches.length === 0 ? 'Nothing is switched.\n' : formatTable(HEADER, switches.map(switchCells)),
      );
    });
  setting('pause <name>', 'no call of a toolset (web) or a tool (web.web_search) begins').action(
    (name: string, { reason, ...options }: Options) =>
      set(callPlaceOf(name), { reason }, options, `Paused: ${name}. Calls that run now finish.`),
  );
  setting('drain <process>', 'a process takes no new work').action(
    (id: string, { reason, ...options }: Options) =>
      set(`process/${encodeURIComponent(id)}`, { reason }, options, `Draining: ${id}.`),
  );
  setting('refuse-turns', 'new messages are refused; users read the reason').action(
    ({ reason, ...options }: Options) => set('turns/all', { reason }, options, 'New messages are refused.'),
  );
  program
    .command('log-level <level>')
    .description(`of all processes, or of one: ${LOG_LEVELS.join(', ')}`)
    .option('--process <id>', 'only this one')
    .option(...JSON_OPTION)
    .action((level: LogLevel, { process = 'all', ...options }: Options & { process?: string }) =>
      set(`logs/${encodeURIComponent(process)}`, { level }, options, `Log level of ${process}: ${level}.`),
    );
  program
    .command('resume <name>')
    .description('undoes a switch: a toolset, a tool, a process, `turns`, or `logs`')
    .option('--process <id>', 'with `logs`: of this process')
    .option(...JSON_OPTION)
    .action(async (name: string, { process = 'all', json }: Options & { process?: string }) => {
      const { found, accepted } = await resume(openApi(), name, process);
      const { kind, name: own } = found;
      write(json ? toJson({ resumed: { kind, name: own }, accepted }) : describeResumed(found, accepted));
    });
}

async function resume(
  api: GatewayApi,
  name: string,
  process: string,
): Promise<{ found: ListedSwitch; accepted: AcceptedDefinition[] }> {
  const { switches } = await api.get<ListedSwitches>(PATH);
  const found = findNamed(switches, name, process);
  if (!found) throw nothingNamed(name, switches);
  const path = `${PATH}/${found.kind}/${encodeURIComponent(found.name)}`;
  const { accepted = [] } = (await api.delete<UnsetSwitch>(path)) ?? {};
  return { found, accepted };
}

/** Undoing a quarantine accepts definitions for good, so it names them. */
function describeResumed({ kind, name, by }: ListedSwitch, accepted: readonly AcceptedDefinition[]): string {
  const lines = [`As before: ${kind === 'turns' || kind === 'logs' ? kind : name}.`];
  for (const { tool, version } of accepted)
    lines.push(`Accepted for good: the definition of ${tool} that its workers have now, version ${version}.`);
  if (by === QUARANTINE && accepted.length === 0)
    lines.push(
      'Accepted nothing: no worker has a blocked definition now. One that returns is blocked again.',
    );
  return toTerminalSafe(`${lines.join('\n')}\n`);
}

/** A toolset may be called `turns` or `logs`, too: then the second `resume` is about it. */
function findNamed(
  switches: readonly ListedSwitch[],
  name: string,
  process: string,
): ListedSwitch | undefined {
  const isMeant = (one: ListedSwitch) =>
    one.kind === 'logs' ? name === 'logs' && one.name === process : one.kind === 'turns' && name === 'turns';
  const isNamed = ({ kind, name: own }: ListedSwitch) => kind !== 'logs' && kind !== 'turns' && own === name;
  return switches.find(isMeant) ?? switches.find(isNamed);
}

function nothingNamed(name: string, switches: readonly ListedSwitch[]): CommandError {
  const names = switches.map(({ kind, name: own }) => (own === 'all' ? kind : own));
  const listed = names.length === 0 ? 'Nothing is.' : `Switched: ${[...new Set(names)].join(', ')}.`;
  return new CommandError(toTerminalSafe(`Nothing named ${name} is switched. ${listed}`));
}

function callPlaceOf(name: string): string {
  if (name === '') throw new CommandError('Name a toolset or a tool.');
  return `${name.includes('.') ? 'tool' : 'toolset'}/${encodeURIComponent(name)}`;
}

function switchCells({ kind, name, by, at, reason, level }: ListedSwitch): string[] {
  return [kind, name, by, at, level ?? reason ?? '-'];
}
