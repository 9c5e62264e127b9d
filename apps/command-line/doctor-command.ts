import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError, loadWorkerGroups } from '#bootstrap';
import type { Checked, FleetState } from '#contracts';
import type { WorkerGroup } from '#messaging';
import { describeChecked, redactText } from '#observability';
import { checkStore, NoStoreError } from '#store';
import { systemTime, type Time } from '#time';
import { checkBroker } from './doctor/check-broker.js';
import { checkConfiguration } from './doctor/check-configuration.js';
import { checkGroups } from './doctor/check-groups.js';
import { checkMcpServers } from './doctor/check-mcp-servers.js';
import { checkModels } from './doctor/check-model.js';
import { checkToolsets } from './doctor/check-toolsets.js';
import { groupHere } from './doctor/configured-here.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { openStoreToRead } from './store-access.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const HAS_ERRORS = 1;

/** `doctor`: exit code 1 when something is wrong, 0 otherwise; warnings are not wrong. */
export function addDoctorCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  program
    .command('doctor')
    .description(
      'checks configuration, broker, store, tools, MCP servers and model keys, and changes nothing',
    )
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const isUrlGiven = program.getOptionValueSource('url') === 'cli';
      const found = (await checkAll(terminal, isUrlGiven, openApi)).map(withoutSecrets);
      terminal.write(json ? toJson(found) : found.map(describeChecked).join(''));
      if (found.some(({ level }) => level === 'error')) terminal.exitWith?.(HAS_ERRORS);
    });
}

async function checkAll(
  { environment }: Terminal,
  isUrlGiven: boolean,
  openApi: () => GatewayApi,
): Promise<Checked[]> {
  const time: Time = systemTime();
  const isInGroup = groupHere(environment) !== undefined;
  const checks: [subject: string, check: () => Checked[] | Promise<Checked[]>][] = [
    ['configuration', () => checkConfiguration(environment)],
    ['broker', () => checkBroker(environment, time.clock)],
    ['store', () => checkStoreOf(environment, isUrlGiven, openApi)],
    ['tools', () => checkToolsets(environment, time)],
    ['MCP servers', () => checkMcpServers(environment, time)],
    ['model', () => (isInGroup ? [] : checkModels(environment, time.clock))],
  ];
  const found = checks.map(async ([subject, check]): Promise<Checked[]> => {
    try {
      return await check();
    } catch (error) {
      return [{ subject, level: 'error', text: error instanceof Error ? error.message : String(error) }];
    }
  });
  return (await Promise.all(found)).flat();
}

/** The process that has locked the store is asked for what it sees of it, and of its broker. */
async function checkStoreOf(
  environment: Terminal['environment'],
  isUrlGiven: boolean,
  openApi: () => GatewayApi,
): Promise<Checked[]> {
  if (groupHere(environment) !== undefined)
    return [{ subject: 'store', level: 'ok', text: 'a worker of a group has none: orchestrators keep it' }];
  const access = await openStoreToRead(environment, isUrlGiven).catch((error: unknown) =>
    explainNoStore(environment.DATA_DIR, error),
  );
  if (Array.isArray(access)) return access;
  const groups = groupsOf(environment);
  if (access.kind === 'process') {
    const api = openApi();
    const found = await api.get<Checked[]>('/api/admin/doctor');
    if (groups.length === 0) return found;
    const { processes } = await api.get<FleetState>('/api/admin/status');
    return [
      ...found,
      ...checkGroups(
        groups,
        processes.filter(({ is_alive }) => is_alive),
      ),
    ];
  }
  try {
    const found = await checkStore(access.store, access.where);
    if (groups.length === 0 || found.some(({ level }) => level === 'error')) return found;
    const rows = await access.store.listProcesses();
    return [
      ...found,
      ...checkGroups(
        groups,
        rows.map(({ _id: id, load = {} }) => ({ id, load })),
      ),
    ];
  } finally {
    await access.store.close();
  }
}

/** None while `CONFIG` has errors, which are described where it is checked. */
function groupsOf(environment: Terminal['environment']): WorkerGroup[] {
  try {
    return loadWorkerGroups(environment);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** Before the first start there is none, which is nothing to mend. */
function explainNoStore(dataDir: string | undefined, error: unknown): Checked[] {
  if (!(error instanceof NoStoreError)) throw error;
  const hindrance = findHindrance(resolve(dataDir || './data'));
  if (hindrance !== undefined)
    return [
      {
        ...{ subject: 'store', level: 'error', text: `DATA_DIR cannot be made: ${hindrance}` },
        mend: 'Correct DATA_DIR, or the rights of the folder.',
      },
    ];
  const mend = 'Nothing to do before the first start, which makes one.';
  return [{ subject: 'store', level: 'warning', text: error.message, mend }];
}

/** Why a folder cannot be made, or written to. */
function findHindrance(path: string): string | undefined {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) return `${existing} is not a folder`;
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return `${existing} cannot be written`;
  }
  return undefined;
}

function withoutSecrets({ subject, level, text, mend }: Checked): Checked {
  return { subject, level, text: redactText(text), ...(mend !== undefined && { mend }) };
}
