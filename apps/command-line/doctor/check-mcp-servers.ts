import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import {
  asListed,
  createMcpToolsets,
  loadMcpConfig,
  McpConfigError,
  type McpLogger,
  type McpServer,
} from '#mcp';
import type { Time } from '#time';
import type { ToolsetHost } from '#tools';

/** Of what a server wrote to stderr. */
const LINES_SHOWN = 3;

/** Connects to each server, as a tool worker here would, and lists its tools; a silent one costs 5 s. */
export async function checkMcpServers(environment: Environment, time: Time): Promise<Checked[]> {
  try {
    const path = environment.MCP_CONFIG || './mcp.json';
    const servers = loadMcpConfig({ path, isExplicit: Boolean(environment.MCP_CONFIG), env: environment });
    if (servers.length === 0) return [{ subject: 'MCP servers', level: 'ok', text: `${path} names none` }];
    return await Promise.all(servers.map((server) => checkServer(server, environment, time)));
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    return [{ subject: 'MCP servers', level: 'error', text: error.message, mend: 'Correct the file.' }];
  }
}

/** What a server needs that acts for a person; undefined if all of it is set. */
function findMissing({
  TOKEN_KEYS,
  PUBLIC_URL,
  WORKER_GROUP,
}: Environment): Omit<Checked, 'subject'> | undefined {
  const level = 'error';
  if (WORKER_GROUP)
    return {
      level,
      text: 'it acts for a person, and a worker of a group has no store for tokens',
      mend: 'Give it to a worker of the operator, with MONGODB_URL.',
    };
  if (TOKEN_KEYS && PUBLIC_URL) return undefined;
  return {
    level,
    text: 'it acts for a person, and tokens cannot be kept',
    mend: 'Set TOKEN_KEYS and PUBLIC_URL, of the gateways too.',
  };
}

/** Each user connects with an account of theirs, which nobody has here; only a service token can be tried. */
async function checkForPeople(server: McpServer, environment: Environment, time: Time): Promise<Checked> {
  const subject = `MCP server ${server.name}`;
  const missing = findMissing(environment);
  if (missing) return { subject, ...missing };
  const listed = asListed(server);
  const checked: Checked =
    listed === server
      ? { subject, level: 'ok', text: 'its tools are in a file' }
      : await checkListed(listed, time);
  const text = `${checked.text}; each user connects an account, which was not tried`;
  return checked.level === 'ok' ? { ...checked, text } : checked;
}

async function checkServer(server: McpServer, environment: Environment, time: Time): Promise<Checked> {
  const isForPeople = 'url' in server && server.oauth !== undefined;
  return isForPeople ? checkForPeople(server, environment, time) : checkListed(server, time);
}

async function checkListed(server: McpServer, time: Time): Promise<Checked> {
  const subject = `MCP server ${server.name}`;
  const reasons: string[] = [];
  const printed: string[] = [];
  const note = (fields: object) => {
    const { reason } = fields as { reason?: unknown };
    if (typeof reason === 'string') reasons.push(reason);
  };
  const logger: McpLogger = { info: (_fields, line) => void printed.push(line), warn: note, error: note };
  const [toolset] = createMcpToolsets([server], logger, time);
  const count = await countTools(toolset!);
  if (count > 0)
    return { subject, level: 'ok', text: `it offers ${count} ${count === 1 ? 'tool' : 'tools'}` };
  const why = reasons.at(-1) ?? 'it does not answer';
  const last = printed.slice(-LINES_SHOWN).join(' | ');
  const text = `it offers no tools: ${why}${last && `; it printed: ${last}`}`;
  return { subject, level: 'error', text, mend: mendOf(server, why) };
}

async function countTools(toolset: ToolsetHost): Promise<number> {
  try {
    await toolset.start();
    return toolset.tools().length;
  } finally {
    await toolset.stop();
  }
}

function mendOf(server: McpServer, why: string): string {
  if (!('url' in server))
    return /ENOENT|EACCES/.test(why)
      ? 'Install its command, or correct it.'
      : 'Run its command by hand to see why.';
  return /\b40[13]\b/.test(why)
    ? 'Correct the key or token that is sent to it.'
    : 'Start it, or correct its address.';
}
