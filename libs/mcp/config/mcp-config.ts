import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { describeIssues, toolClassSchema, toolScopeSchema } from '#contracts';
import {
  findOAuthProblem,
  oauthSchema,
  readListedTools,
  type OAuthConfig,
  type OAuthEntry,
} from './oauth-config.js';
import { findUserProblem } from './run-as-user.js';
import { expandVariables, mentionsOwner, MissingVariableError, OWNER_VARIABLE } from './expand-variables.js';

const MAX_TIMEOUT_MS = 20 * 60_000;
const MAX_IDLE_MS = 24 * 3_600_000;
/** To the kernel, the next number means "no change". */
const MAX_USER_ID = 2 ** 32 - 2;

const sharedFields = {
  disabled: z.boolean().optional(),
  /** `eager`: connected as long as the worker runs. `demand`: connected to list its tools, then only while calls use it. */
  start: z.enum(['eager', 'demand']).default('eager'),
  /** Which calls share one process or session: all, those of one user, or those of one conversation. */
  scope: toolScopeSchema.default('shared'),
  /** A process or session that was started for calls ends after this long without one. */
  idleMs: z.int().min(100).max(MAX_IDLE_MS).default(600_000),
  /** Processes or sessions at once, for a server with a scope. */
  maxInstances: z.int().min(1).max(1000).default(20),
  /** Calls at once in one process or session; further calls wait. */
  concurrency: z.int().min(1).max(1000).default(10),
  /** Who sees its log messages; absent: operators, and viewers of turns that ask for them. */
  logs: z.enum(['operators', 'viewers']).optional(),
  /** For each call; starts again with each progress report. */
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(60_000),
  /** The class of every tool; absent: from its annotations if the server is trusted, else `once`. */
  class: toolClassSchema.optional(),
  /** Use what the server says about its tools (`readOnlyHint`, `idempotentHint`). */
  trusted: z.boolean().default(false),
};
const stdioSchema = z.object({
  ...sharedFields,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  /** The user and group that its process runs as; needs a worker that runs as root. */
  uid: z.int().min(1).max(MAX_USER_ID).optional(),
  gid: z.int().min(1).max(MAX_USER_ID).optional(),
});
const httpSchema = z.object({
  ...sharedFields,
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  oauth: oauthSchema.optional(),
});
/** Other MCP hosts keep their own keys in the same file; these are ignored. */
const fileSchema = z.object({
  mcpServers: z.record(z.string().min(1).max(128), z.looseObject({})),
});

export type McpStdioServer = z.output<typeof stdioSchema> & { name: string };
export type McpHttpServer = Omit<z.output<typeof httpSchema>, 'oauth'> & {
  name: string;
  oauth?: OAuthConfig;
};
export type { OAuthConfig } from './oauth-config.js';
export type McpServer = McpStdioServer | McpHttpServer;

/** An invalid configuration. The message is one sentence with the file and the place, never a value. */
export class McpConfigError extends Error {
  override name = 'McpConfigError';
}

export interface McpConfigSource {
  path: string;
  /** True when an operator set the path: the file must then exist. */
  isExplicit: boolean;
  env?: Readonly<Record<string, string | undefined>>;
}

/** The enabled servers of `mcp.json`, variables expanded. */
export function loadMcpConfig({ path, isExplicit, env = process.env }: McpConfigSource): McpServer[] {
  const text = readConfig(path, isExplicit);
  return text === undefined ? [] : parseMcpConfig(text, path, env);
}

export function parseMcpConfig(
  text: string,
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): McpServer[] {
  let raw: unknown;
  try {
    // Some editors on Windows start files with a byte order mark.
    raw = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new McpConfigError(`${path}: is not JSON.`);
  }
  if (typeof raw === 'object' && raw !== null && !('mcpServers' in raw))
    throw new McpConfigError(`${path}: has no "mcpServers" object with one entry per server.`);
  const file = fileSchema.safeParse(raw);
  if (!file.success) throw new McpConfigError(`${path}: ${describeIssues(file.error)}.`);
  return Object.entries(file.data.mcpServers)
    .filter(([, server]) => server.disabled !== true)
    .map(([name, server]) => parseServer(name, server, path, env));
}

function parseServer(
  name: string,
  raw: Record<string, unknown>,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): McpServer {
  const place = `${path}: mcpServers.${name}`;
  if ('command' in raw === 'url' in raw) {
    throw new McpConfigError(`${place} needs either "command" or "url".`);
  }
  if (raw.type === 'sse') {
    throw new McpConfigError(
      `${place}: type "sse" is not supported, use the server's streamable HTTP address.`,
    );
  }
  if ('command' in raw && 'oauth' in raw)
    throw new McpConfigError(`${place}.oauth needs "url": a program on this machine is given no tokens.`);
  let expanded: Record<string, unknown>;
  try {
    expanded = expandVariables(raw, env);
  } catch (error) {
    if (error instanceof MissingVariableError) throw new McpConfigError(`${place}.${error.message}`);
    throw error;
  }
  const parsed = ('url' in raw ? httpSchema : stdioSchema).safeParse(expanded);
  if (!parsed.success) throw new McpConfigError(`${place}: ${describeIssues(parsed.error)}.`);
  if (parsed.data.scope === 'shared' && mentionsOwner(parsed.data)) {
    throw new McpConfigError(
      `${place} mentions ${OWNER_VARIABLE}: that needs "scope": "user" or "scope": "conversation".`,
    );
  }
  if ('uid' in parsed.data || 'gid' in parsed.data) checkUser(parsed.data, place);
  const oauth =
    'oauth' in parsed.data && parsed.data.oauth
      ? completeOAuth({ ...parsed.data, oauth: parsed.data.oauth }, place, path)
      : undefined;
  return { ...parsed.data, name, ...(oauth && { oauth }) } as McpServer;
}

function completeOAuth(server: OAuthEntry, place: string, path: string): OAuthConfig {
  const problem = findOAuthProblem(server);
  if (problem !== undefined) throw new McpConfigError(`${place}.oauth ${problem}`);
  const { tools, callbackPort: _port, authServerMetadataUrl: _url, ...oauth } = server.oauth;
  if (tools === undefined) return oauth;
  try {
    return { ...oauth, tools: readListedTools(tools, path) };
  } catch (error) {
    throw new McpConfigError(`${place}.oauth.tools ${(error as Error).message}`);
  }
}

function checkUser({ uid }: { uid?: number }, place: string): void {
  if (uid === undefined) throw new McpConfigError(`${place}.gid needs "uid" as well.`);
  const problem = findUserProblem();
  if (problem !== undefined) throw new McpConfigError(`${place}.uid ${problem}`);
}

function readConfig(path: string, isExplicit: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isExplicit) return undefined;
    throw new McpConfigError(
      `${path}: ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}.`,
    );
  }
}
