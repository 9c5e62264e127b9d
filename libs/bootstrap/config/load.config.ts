import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { WorkerGroup } from '#messaging';
import {
  toClientConfig,
  toConnectionConfig,
  toOwnToolConfig,
  toProcessConfig,
  toSharedServices,
  toToolConfig,
  toTurnConfig,
  toWorkerJournal,
  type GatewayConfig,
  type GroupWorkerConfig,
  type OrchestratorConfig,
  type StandaloneConfig,
  type ToolWorkerConfig,
} from './app-config.js';
import { findAuthNotices, findAuthProblems } from './auth-settings.js';
import { ConfigError } from './config-error.js';
import {
  describeFileProblems,
  describeProblems,
  ENVIRONMENT_NAMES,
  gatewayEnvironment,
  groupWorkerEnvironment,
  orchestratorEnvironment,
  standaloneEnvironment,
  toolWorkerEnvironment,
  withoutEmpty,
} from './environment.js';
import { findModelNotices, findModelProblems } from './model-settings.js';
import { findNameTypos } from './name-typos.js';
import { findOpsNotices, findOpsProblems, findSharedPort } from './ops-settings.js';
import { settingsFileSchema, toSettings, type Settings } from './settings-file.js';
import { ownServiceVariables } from './variables.js';
import { findForeignSecrets, findStoreProblems, findWorkerProblems } from './worker-settings.js';

export type Environment = Record<string, string | undefined>;

type Finder = (set: Record<string, string>) => string[];

/**
 * `dialects`: the names of the existing dialects. Throws `ConfigError` with every problem at once, as the other loaders
 * do.
 */
export function loadGatewayConfig(environment: Environment, dialects: readonly string[] = []): GatewayConfig {
  const { values, settings, notices } = load(gatewayEnvironment, environment, {
    problems: [findAuthProblems, findDialectProblems(dialects), findSharedPort, findKeyProblems],
    notices: [findAuthNotices, findOpsNotices],
  });
  return {
    ...toProcessConfig(values, settings, notices),
    ...toSharedServices(values),
    ...toClientConfig(values),
    ...toConnectionConfig(values),
  };
}

export function loadOrchestratorConfig(environment: Environment): OrchestratorConfig {
  const { values, settings, notices, prompt } = load(orchestratorEnvironment, environment, {
    problems: [findModelProblems],
    notices: [findModelNotices, findRetentionNotices],
  });
  return {
    ...toProcessConfig(values, settings, notices),
    ...toSharedServices(values),
    ...toTurnConfig(values, prompt),
  };
}

export function loadToolWorkerConfig(environment: Environment): ToolWorkerConfig {
  const { values, settings, notices } = load(toolWorkerEnvironment, environment, {
    problems: [findWorkerProblems, findKeyProblems],
    notices: [findForeignSecrets],
  });
  return {
    ...toProcessConfig(values, settings, notices),
    ...toToolConfig(values),
    ...toConnectionConfig(values),
    rabbitmqUrl: values.RABBITMQ_URL,
    journal: toWorkerJournal(values),
  };
}

export function loadGroupWorkerConfig(environment: Environment): GroupWorkerConfig {
  const { values, settings, notices } = load(groupWorkerEnvironment, environment, {
    problems: [findStoreProblems],
    notices: [findForeignSecrets],
  });
  return {
    ...toProcessConfig(values, settings, notices),
    ...toOwnToolConfig(values),
    rabbitmqUrl: values.RABBITMQ_URL,
    group: values.WORKER_GROUP,
  };
}

export function loadStandaloneConfig(
  environment: Environment,
  dialects: readonly string[] = [],
): StandaloneConfig {
  const { values, settings, notices, prompt } = load(standaloneEnvironment, environment, {
    problems: [
      findAuthProblems,
      findDialectProblems(dialects),
      findModelProblems,
      findSharedPort,
      findKeyProblems,
    ],
    notices: [findAuthNotices, findModelNotices, findOpsNotices, findRetentionNotices],
  });
  return {
    ...toProcessConfig(values, settings, notices),
    ...toClientConfig(values),
    ...toConnectionConfig(values),
    ...toTurnConfig(values, prompt),
    ...toToolConfig(values),
    rabbitmqUrl: values.RABBITMQ_URL,
    mongodbUrl: values.MONGODB_URL,
    dataDir: values.DATA_DIR,
  };
}

/** Only where the store is: for commands that run beside the processes. Throws `ConfigError`. */
export function loadStoreAddress(environment: Environment): { mongodbUrl?: string; dataDir: string } {
  const { MONGODB_URL, DATA_DIR } = ownServiceVariables;
  const parsed = z.object({ MONGODB_URL, DATA_DIR }).safeParse(withoutEmpty(environment));
  if (!parsed.success) throw new ConfigError(describeProblems(parsed.error));
  return { mongodbUrl: parsed.data.MONGODB_URL, dataDir: parsed.data.DATA_DIR };
}

/** Only the groups of workers without the store: for commands. Throws `ConfigError`. */
export function loadWorkerGroups(environment: Environment): WorkerGroup[] {
  const file = readSettings(withoutEmpty(environment).CONFIG);
  if ('problems' in file) throw new ConfigError(file.problems);
  return file.settings.groups;
}

function load<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
  finders: { problems: Finder[]; notices: Finder[] },
): { values: z.output<Schema>; settings: Settings; notices: string[]; prompt: string | undefined } {
  const set = withoutEmpty(environment);
  const typos = findNameTypos(set, ENVIRONMENT_NAMES).map(
    ({ name, meant }) => `${name} is not a setting: did you mean ${meant}?`,
  );
  const parsed = schema.safeParse(set);
  const file = readSettings(set.CONFIG);
  const prompt = 'SYSTEM_PROMPT_FILE' in schema.shape ? readPrompt(set.SYSTEM_PROMPT_FILE) : {};
  const problems = [
    ...(parsed.success ? [] : describeProblems(parsed.error)),
    ...[findOpsProblems, ...finders.problems].flatMap((find) => find(set)),
    ...('problems' in file ? file.problems : []),
    ...(prompt.problem === undefined ? [] : [prompt.problem]),
  ];
  if (!parsed.success || !('settings' in file) || problems.length > 0)
    throw new ConfigError([...problems, ...typos]);
  return {
    values: parsed.data,
    settings: file.settings,
    notices: [...typos, ...finders.notices.flatMap((find) => find(set))],
    prompt: prompt.text,
  };
}

function findKeyProblems({ TOKEN_KEYS, PUBLIC_URL }: Environment): string[] {
  if (TOKEN_KEYS === undefined || PUBLIC_URL !== undefined) return [];
  return [
    'PUBLIC_URL is missing: with TOKEN_KEYS it must be the origin of the page, like https://chat.example.com',
  ];
}

function findRetentionNotices({ RETENTION_DAYS: days }: Environment): string[] {
  if (days === undefined) return [];
  return [`RETENTION_DAYS is on: conversations unchanged for ${days} days are deleted`];
}

function findDialectProblems(dialects: readonly string[]): Finder {
  const existing =
    dialects.length > 0 ? `the existing ones are ${dialects.join(', ')}` : 'none exists yet, leave it unset';
  return ({ DIALECTS }) => {
    const unknown = DIALECTS?.split(',').some(
      (name) => name.trim() !== '' && !dialects.includes(name.trim()),
    );
    return unknown ? [`DIALECTS names a dialect that does not exist: ${existing}`] : [];
  };
}

function readSettings(named: string | undefined): { settings: Settings } | { problems: string[] } {
  const file = readText(named ?? './switchyard.json');
  const label = named === undefined ? 'switchyard.json' : `${named} (CONFIG)`;
  if (file === 'missing' && named === undefined)
    return { settings: toSettings(settingsFileSchema.parse({})) };
  if (typeof file === 'string') return { problems: [`${label} ${WHY_NOT[file]}`] };
  let raw: unknown;
  try {
    raw = JSON.parse(file.text);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    return { problems: [`${label} is not valid JSON`] };
  }
  const parsed = settingsFileSchema.safeParse(raw);
  if (parsed.success) return { settings: toSettings(parsed.data) };
  return { problems: describeFileProblems(parsed.error).map((problem) => `${label}: ${problem}`) };
}

function readPrompt(path: string | undefined): { text?: string; problem?: string } {
  if (path === undefined) return {};
  const file = readText(path);
  const label = 'The file that SYSTEM_PROMPT_FILE names';
  if (typeof file === 'string') return { problem: `${label} ${WHY_NOT[file]}` };
  return file.text.trim() === '' ? { problem: `${label} is empty` } : file;
}

const WHY_NOT = { missing: 'does not exist', unreadable: 'cannot be read' };

function readText(path: string): { text: string } | 'missing' | 'unreadable' {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
