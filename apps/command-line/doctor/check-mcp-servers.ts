import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { createMcpToolsets, loadMcpConfig, McpConfigError, type McpLogger, type McpServer } from '#mcp';
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

type ForPeople = McpServer & { oauth: object };

const isForPeople = (server: McpServer): server is ForPeople =>
  'oauth' in server && server.oauth !== undefined;

/** Each user connects to it with an account, which nobody has here. */
function checkForPeople({ name }: ForPeople, { TOKEN_KEYS, PUBLIC_URL }: Environment): Checked {
  const subject = `MCP server ${name}`;
  if (TOKEN_KEYS && PUBLIC_URL)
    return { subject, level: 'ok', text: 'each user connects an account; it was not asked' };
  return {
    subject,
    level: 'error',
    text: 'it acts for a person, and tokens cannot be kept',
    mend: 'Set TOKEN_KEYS and PUBLIC_URL, of the gateways too.',
  };
}

async function checkServer(server: McpServer, environment: Environment, time: Time): Promise<Checked> {
  if (isForPeople(server)) return checkForPeople(server, environment);
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
  if (count > 0) return { subject, level: 'ok', text: `it offers ${count} tools` };
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
  return /40[13]/.test(why)
    ? 'Correct the key or token in its headers.'
    : 'Start it, or correct its address.';
}
