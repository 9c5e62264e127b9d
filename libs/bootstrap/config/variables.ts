import { isIP } from 'node:net';
import { z } from 'zod';
import { isTokenKey } from '#connections';
import { groupNameSchema, LOG_LEVELS } from '#contracts';
import { DEFAULT_AUDIT_DAYS } from '#journal';
import { KEY_VARIABLES, URL_VARIABLES } from '#llm';
import { AUTH_KINDS, REGISTRATIONS } from './auth-settings.js';
import { GROUP_NAME_RULE } from './settings/worker-groups.js';

/** Messages complete the sentence "NAME …" and never contain a value. */
const must = (text: string): { error: (issue: { input?: unknown }) => string } => ({
  error: (issue) => (issue.input === undefined ? `is missing: it must be ${text}` : `must be ${text}`),
});

const text = z.string();
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
      must(`a whole number from ${min} to ${max}`),
    )
    .transform(Number);
const url = (schemes: readonly string[], example: string) => {
  const rule = must(`a URL like ${example}`);
  return z
    .string(rule)
    .refine(
      (value) =>
        schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3),
      rule,
    );
};
const webUrl = z
  .string()
  .refine(
    (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    must('a URL that starts with http:// or https://'),
  );
const names = (pattern: RegExp, rule: string) =>
  z
    .string()
    .transform(splitList)
    .refine((list) => list.length > 0 && list.every((name) => pattern.test(name)), must(rule));
const HOST_NAME = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;
const origin = (value: string): boolean => URL.canParse(value) && new URL(value).origin === value;

/** People type passwords on the way back to it, so only this machine may be without encryption. */
function isPublicUrl(value: string): boolean {
  if (!origin(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isNetwork(value: string): boolean {
  const [address, length, ...rest] = value.split('/');
  const bits = isIP(address!) === 4 ? 32 : 128;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return isIP(address!) !== 0 && isLength && rest.length === 0;
}

function splitList(value: string): string[] {
  const parts = value.split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

const rabbitmqUrl = url(['amqp', 'amqps'], 'amqp://user:password@host:5672');
const mongodbUrl = url(['mongodb', 'mongodb+srv'], 'mongodb://host:27017/switchyard?replicaSet=rs0');

export const processVariables = (port: number) => ({
  PORT: wholeNumber(0, 65_535).default(port),
  HOST: text.default('127.0.0.1'),
  OPS_PORT: wholeNumber(0, 65_535).optional(),
  OPS_HOST: text.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, must(`one of ${LOG_LEVELS.join(', ')}`)).default('info'),
  CONFIG: text.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
  AUDIT_DAYS: wholeNumber(0, 36_500).default(DEFAULT_AUDIT_DAYS),
});

export const sharedServiceVariables = { RABBITMQ_URL: rabbitmqUrl, MONGODB_URL: mongodbUrl };

const isGroupName = must(GROUP_NAME_RULE);
const workerGroup = z
  .string(isGroupName)
  .refine((value) => groupNameSchema.safeParse(value).success, isGroupName);

/** A worker has the store, or the name of its group. */
export const workerServiceVariables = {
  RABBITMQ_URL: rabbitmqUrl,
  MONGODB_URL: mongodbUrl.optional(),
  WORKER_GROUP: workerGroup.optional(),
};

export const groupServiceVariables = { RABBITMQ_URL: rabbitmqUrl, WORKER_GROUP: workerGroup };

/** For MCP servers that act for a person. */
export const connectionVariables = {
  TOKEN_KEYS: z
    .string()
    .transform(splitList)
    .refine(
      (list) => list.length > 0 && list.every(isTokenKey),
      must('comma-separated keys of 32 bytes in base64, as `openssl rand -base64 32` prints one'),
    )
    .optional(),
  PUBLIC_URL: z
    .string()
    .refine(
      isPublicUrl,
      must('the origin of the page, like https://chat.example.com; http:// only for localhost'),
    )
    .optional(),
};

export const ownServiceVariables = {
  DATA_DIR: text.default('./data'),
  RABBITMQ_URL: rabbitmqUrl.optional(),
  MONGODB_URL: mongodbUrl.optional(),
};

export const clientVariables = {
  AUTH: z.enum(AUTH_KINDS, must('none, local or jwt')).default('none'),
  REGISTRATION: z.enum(REGISTRATIONS, must('open, invite or closed')).optional(),
  JWT_SECRET: text.optional(),
  JWKS_URL: webUrl.optional(),
  JWT_ISSUER: text.optional(),
  JWT_AUDIENCE: text.optional(),
  JWT_ROLE_CLAIMS: z.string().transform(splitList).optional(),
  CORS_ORIGINS: z
    .string()
    .transform(splitList)
    .refine(
      (list) => list.every(origin),
      must('comma-separated origins like https://chat.example.com, without a path and without *'),
    )
    .default([]),
  ALLOWED_HOSTS: names(HOST_NAME, 'comma-separated host names like chat.example.com').default([]),
  TRUSTED_PROXIES: z
    .string()
    .transform(splitList)
    .refine((list) => list.every(isNetwork), must('comma-separated addresses or networks like 10.0.0.0/8'))
    .default([]),
  DIALECTS: names(/^[a-z0-9-]+$/, 'comma-separated names of dialects').optional(),
};

const eachOf = <Name extends string, Schema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

export const turnVariables = {
  MODEL: text.max(200, must('at most 200 characters')).default('demo'),
  ...eachOf(KEY_VARIABLES, text.optional()),
  ...eachOf(URL_VARIABLES, webUrl.optional()),
  SYSTEM_PROMPT: text.optional(),
  SYSTEM_PROMPT_FILE: text.optional(),
  TURNS_PER_ORCHESTRATOR: wholeNumber(1, 65_535).default(200),
  RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  DEAD_LETTER_DAYS: wholeNumber(1, 36_500).default(30),
};

/** Of toolsets that are not built in. */
export const ownToolVariables = {
  MCP_CONFIG: text.optional(),
  TOOLSETS: names(/^[a-z0-9_]+$/, 'comma-separated names of toolsets (a-z, 0-9, _)').optional(),
  TOOLS_DIR: text.optional(),
};

export const toolVariables = {
  ...ownToolVariables,
  DOCS_DIR: text.optional(),
  HTTP_FETCH_ALLOW: names(
    HOST_NAME,
    'comma-separated hosts like intranet.example.com or 10.0.0.5:8000',
  ).default([]),
};
