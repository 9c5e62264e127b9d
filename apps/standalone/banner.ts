import type { StandaloneConfig } from '#bootstrap';
import { describeModel } from '#llm';
import type { ToolsetHost } from '#tools';

const LOGINS: Record<StandaloneConfig['auth']['kind'], string> = {
  none: 'not required (AUTH=none)',
  local: 'accounts (AUTH=local): register on the page, the first one is the operator',
  jwt: 'tokens (AUTH=jwt): with JWT_SECRET, npm run token -- --user ann prints one',
};

/** The text a newcomer reads after `npm start`: processes, page address, sign-in, model, tools and data folder. */
export function banner(config: StandaloneConfig, port: number, hosts: ToolsetHost[]): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const toolsets = hosts.map((toolset) => describeToolset(toolset)).join(', ');
  return [
    '',
    '  Switchyard: gateway, orchestrator and tool worker in one process',
    '',
    `  Page    http://${isReachedLocally(config.host) ? 'localhost' : host}:${port}`,
    `  Login   ${LOGINS[config.auth.kind]}`,
    `  Model   ${describeModel(config.modelEnvironment)}`,
    `  Tools   ${toolsets || 'none'}`,
    `  Data    ${config.mongodbUrl ? 'MongoDB (MONGODB_URL)' : config.dataDir}`,
    '  Stop    Ctrl C',
    '',
  ].join('\n');
}

/** Whether a browser on this machine reaches it as localhost. */
function isReachedLocally(host: string): boolean {
  return ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
}

function describeToolset(toolset: ToolsetHost): string {
  const { name, source } = toolset;
  const count = toolset.tools().length;
  const state = source === 'mcp' && count === 0 ? 'not connected yet' : String(count);
  return `${name} (${source === 'mcp' ? 'MCP, ' : ''}${state})`;
}
