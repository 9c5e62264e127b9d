import type { z } from 'zod';
import { KEY_VARIABLES, URL_VARIABLES, type ModelEnvironment } from '#llm';
import type { LogLevel } from '#contracts';
import {
  toAuthSettings,
  toRegistration,
  type AuthSettings,
  type RegistrationSetting,
} from './auth-settings.js';
import { toOpsAddress, toOpsPaths, type OpsPaths } from './ops-settings.js';
import type {
  clientVariables,
  connectionVariables,
  ownToolVariables,
  processVariables,
  toolVariables,
  turnVariables,
} from './variables.js';
import type { Settings } from './settings-file.js';

type Output<Variables extends z.core.$ZodShape> = z.output<z.ZodObject<Variables>>;

/** The settings of every process. `notices` are for the log: settings that look like a mistake but are valid. */
export interface ProcessConfig extends Settings {
  port: number;
  host: string;
  /** Where health and metrics are instead, if not at `host` and `port`. */
  ops: { port: number; host: string } | undefined;
  logLevel: LogLevel;
  /** The collector that spans are sent to; undefined: tracing is off. */
  otlpEndpoint: string | undefined;
  /** 0: audit records are not kept in the store. */
  auditDays: number;
  notices: string[];
}

/** Secrets: never logged. */
export interface SharedServices {
  rabbitmqUrl: string;
  mongodbUrl: string;
}

export interface ClientConfig {
  opsPaths: OpsPaths;
  auth: AuthSettings;
  /** Who may create an account, with `AUTH=local`. */
  registration: RegistrationSetting;
  /** Origins that may use the API from a browser, besides the gateway's own origin. */
  corsOrigins: string[];
  /** `Host` headers accepted besides the loopback names. */
  allowedHosts: string[];
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted for the origin of a request. */
  trustedProxies: string[];
  /** Undefined: all existing ones. */
  dialects: string[] | undefined;
}

export interface TurnConfig {
  /** `demo` or `provider/model`. */
  model: string;
  /** `MODEL`, keys and addresses of the providers, as they are set. */
  modelEnvironment: ModelEnvironment;
  systemPrompt: string;
  turnsPerOrchestrator: number;
  /** Undefined: conversations are kept. */
  retentionDays: number | undefined;
  deadLetterDays: number;
}

/** Toolsets that are not built in. */
export interface OwnToolConfig {
  /** `isRequired`: a setting names the file, so it must exist. */
  mcpConfig: { path: string; isRequired: boolean };
  /** Undefined: all toolsets of the worker. */
  toolsets: string[] | undefined;
  /** Files with tools. `isRequired`: a setting names the folder, so it must exist. */
  toolsDir: { path: string; isRequired: boolean };
}

export interface ToolConfig extends OwnToolConfig {
  docsDir: string | undefined;
  /** Hosts that `http.fetch` may request although they are not public. */
  httpFetchAllow: string[];
}

/** Without both, nobody can give an MCP server access to an account. */
export interface ConnectionConfig {
  connections: {
    /** Secrets: never logged. The first one encrypts, all decrypt. */
    tokenKeys: string[] | undefined;
    /** The origin at which people open the page. */
    publicUrl: string | undefined;
  };
}

export type GatewayConfig = ProcessConfig & SharedServices & ClientConfig & ConnectionConfig;
export type OrchestratorConfig = ProcessConfig & SharedServices & TurnConfig;
/** Where a worker's claims and outcomes go: into the store, or to the ledger of its group. */
export type WorkerJournal = { mongodbUrl: string } | { group: string };
export type ToolWorkerConfig = ProcessConfig &
  Pick<SharedServices, 'rabbitmqUrl'> &
  ToolConfig &
  ConnectionConfig & { journal: WorkerJournal };
export type GroupWorkerConfig = ProcessConfig &
  Pick<SharedServices, 'rabbitmqUrl'> &
  OwnToolConfig & { group: string };
/** Without `rabbitmqUrl` the bus is in memory, without `mongodbUrl` the store is SQLite in `dataDir`. */
export type StandaloneConfig = ProcessConfig &
  Partial<SharedServices> &
  ClientConfig &
  TurnConfig &
  ToolConfig &
  ConnectionConfig & { dataDir: string };

export const DEFAULT_SYSTEM_PROMPT =
  'You are a helpful assistant. Use the tools you are given when they help, and say so when a tool fails.';

export function toProcessConfig(
  environment: Output<ReturnType<typeof processVariables>>,
  settings: Settings,
  notices: string[],
): ProcessConfig {
  return {
    ...settings,
    port: environment.PORT,
    host: environment.HOST,
    ops: toOpsAddress(environment),
    logLevel: environment.LOG_LEVEL,
    otlpEndpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    auditDays: environment.AUDIT_DAYS,
    notices,
  };
}

export function toSharedServices(environment: { RABBITMQ_URL: string; MONGODB_URL: string }): SharedServices {
  return { rabbitmqUrl: environment.RABBITMQ_URL, mongodbUrl: environment.MONGODB_URL };
}

export function toWorkerJournal({
  MONGODB_URL: mongodbUrl,
  WORKER_GROUP: group = '',
}: {
  MONGODB_URL?: string;
  WORKER_GROUP?: string;
}): WorkerJournal {
  return mongodbUrl === undefined ? { group } : { mongodbUrl };
}

export function toClientConfig(
  environment: Output<typeof clientVariables> & { HOST: string; OPS_PORT?: number },
): ClientConfig {
  return {
    opsPaths: toOpsPaths(environment),
    auth: toAuthSettings(environment),
    registration: toRegistration(environment),
    corsOrigins: environment.CORS_ORIGINS,
    allowedHosts: environment.ALLOWED_HOSTS,
    trustedProxies: environment.TRUSTED_PROXIES,
    dialects: environment.DIALECTS,
  };
}

export function toConnectionConfig(environment: Output<typeof connectionVariables>): ConnectionConfig {
  return { connections: { tokenKeys: environment.TOKEN_KEYS, publicUrl: environment.PUBLIC_URL } };
}

export function toTurnConfig(
  environment: Output<typeof turnVariables>,
  promptOfFile: string | undefined,
): TurnConfig {
  return {
    model: environment.MODEL,
    modelEnvironment: toModelEnvironment(environment),
    systemPrompt: environment.SYSTEM_PROMPT ?? promptOfFile ?? DEFAULT_SYSTEM_PROMPT,
    turnsPerOrchestrator: environment.TURNS_PER_ORCHESTRATOR,
    retentionDays: environment.RETENTION_DAYS,
    deadLetterDays: environment.DEAD_LETTER_DAYS,
  };
}

function toModelEnvironment(environment: Output<typeof turnVariables>): ModelEnvironment {
  const names = ['MODEL', ...KEY_VARIABLES, ...URL_VARIABLES] as const;
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

export function toOwnToolConfig(environment: Output<typeof ownToolVariables>): OwnToolConfig {
  return {
    mcpConfig: {
      path: environment.MCP_CONFIG ?? './mcp.json',
      isRequired: environment.MCP_CONFIG !== undefined,
    },
    toolsets: environment.TOOLSETS,
    toolsDir: { path: environment.TOOLS_DIR ?? './tools', isRequired: environment.TOOLS_DIR !== undefined },
  };
}

export function toToolConfig(environment: Output<typeof toolVariables>): ToolConfig {
  return {
    ...toOwnToolConfig(environment),
    docsDir: environment.DOCS_DIR,
    httpFetchAllow: environment.HTTP_FETCH_ALLOW.map((host) => host.toLowerCase()),
  };
}
