import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { createMcpToolsets, loadMcpConfig, McpConfigError, type McpLogger, type McpServer } from '#mcp';
import type { Time } from '#time';

/** Connects to each server, as a tool worker here would, and lists its tools; a silent one costs 5 s. */
export async function checkMcpServers(environment: Environment, time: Time): Promise<Checked[]> {
  try {
    const path = environment.MCP_CONFIG || './mcp.json';
    const servers = loadMcpConfig({ path, isExplicit: Boolean(environment.MCP_CONFIG), env: environment });
    if (servers.length === 0) return [{ subject: 'MCP servers', level: 'ok', text: `${path} names none` }];
    return await Promise.all(servers.map((server) => checkServer(server, time)));
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    return [{ subject: 'MCP servers', level: 'error', text: error.message, mend: 'Correct the file.' }];
  }
}

async function checkServer(server: McpServer, time: Time): Promise<Checked> {
  const subject = `MCP server ${server.name}`;
  const reasons: string[] = [];
  const note = (fields: object) => {
    const { reason } = fields as { reason?: unknown };
    if (typeof reason === 'string') reasons.push(reason);
  };
  const logger: McpLogger = { info: () => undefined, warn: note, error: note };
  const [toolset] = createMcpToolsets([server], logger, time);
  try {
    await toolset!.start();
    const count = toolset!.tools().length;
    if (count > 0) return { subject, level: 'ok', text: `it offers ${count} tools` };
    return {
      subject,
      level: 'error',
      text: `it offers no tools: ${reasons.at(-1) ?? 'it does not answer'}`,
      mend:
        'url' in server
          ? 'Start it, or correct its address.'
          : 'Run its command by hand to see what it prints.',
    };
  } finally {
    await toolset!.stop();
  }
}
