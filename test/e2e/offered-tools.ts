import { readFileSync } from 'node:fs';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';

/** On a busy machine an MCP server needs longer than the 5 s for which its worker's start waits. */
const PATIENCE = { timeoutMs: 60_000 };

/** The MCP servers whose tools a worker with this environment offers. */
export function serversOf({ MCP_CONFIG, TOOLSETS }: Record<string, string>): string[] {
  if (MCP_CONFIG === undefined) return [];
  const { mcpServers } = JSON.parse(readFileSync(MCP_CONFIG, 'utf8')) as { mcpServers: object };
  const wanted = TOOLSETS?.split(',');
  return Object.keys(mcpServers).filter((name) => wanted?.includes(name) ?? true);
}

/** Resolves when the worker has told everybody of the tools of its MCP servers. */
export async function offersAll(worker: SwitchyardProcess, env: Record<string, string>): Promise<void> {
  const servers = serversOf(env);
  const isComplete = () => {
    const offered = worker.log.match(/^.*"toolsets offered".*$/gm)?.at(-1) ?? '';
    return servers.every((server) => offered.includes(`"${server}"`));
  };
  await waitFor(isComplete, { what: `the offer of ${servers.join(', ')}`, ...PATIENCE });
}

/** Resolves when the gateway has heard of the tools of these MCP servers. */
export async function listsAll({ url }: SwitchyardProcess, servers: readonly string[]): Promise<void> {
  const isComplete = async () => {
    const listed = await (await fetch(`${url}/api/tools`)).text();
    return servers.every((server) => listed.includes(`"${server}.`));
  };
  await waitFor(isComplete, { what: `${servers.join(', ')} on the list`, ...PATIENCE });
}
