import { existsSync } from 'node:fs';
import { ConfigError, type OwnToolConfig } from '#bootstrap';
import type { Connections } from '#connections';
import { createMcpToolsets, loadMcpConfig, type McpLogger, type McpMetrics } from '#mcp';
import { ToolSetupError, type ToolsetHost } from '#tools';
import type { Clock, Time } from '#time';
import { loadToolFiles } from './load-tool-files.js';

export interface OwnToolSources extends Time {
  logger: McpLogger;
  metrics?: McpMetrics;
  /** For MCP servers that act for a person; absent: there can be none. */
  connections?: Connections;
}

/** MCP servers often have these names. A server of the same name replaces the built-in toolset. */
const REPLACEABLE = ['memory', 'time', 'http'];

/** The toolsets of `TOOLS_DIR` and the MCP servers, as far as `TOOLSETS` names them; throws `ConfigError` if there is none. */
export async function createOwnToolsets(
  config: OwnToolConfig,
  sources: OwnToolSources,
): Promise<ToolsetHost[]> {
  const all = await addOwnToolsets([], config, sources);
  if (all.length > 0) return chooseToolsets(all, config.toolsets);
  throw new ConfigError([
    `There is no tool: put a file <toolset>.tool.mjs into ${config.toolsDir.path} (TOOLS_DIR), or an MCP server into ${config.mcpConfig.path} (MCP_CONFIG)`,
  ]);
}

/** The built-in toolsets that no MCP server replaces, those of `TOOLS_DIR`, and MCP servers. */
export async function addOwnToolsets(
  builtIn: ToolsetHost[],
  config: OwnToolConfig,
  { logger, metrics, connections, clock, random }: OwnToolSources,
): Promise<ToolsetHost[]> {
  const { path, isRequired } = config.mcpConfig;
  const servers = loadMcpConfig({ path, isExplicit: isRequired });
  const isReplaced = (name: string) => REPLACEABLE.includes(name) && builtIn.some((one) => one.name === name);
  const taken = new Set(servers.map(({ name }) => name).filter(isReplaced));
  for (const name of taken) logger.warn({ server: name }, `MCP server ${name} replaces the toolset ${name}`);
  const own = [...builtIn, ...(await loadOwnFiles(config, builtIn, clock))].filter(
    ({ name }) => !taken.has(name),
  );
  const reservedNames = own.map(({ name }) => name);
  return [
    ...own,
    ...createMcpToolsets(servers, logger, { reservedNames, metrics, connections, clock, random }),
  ];
}

/** @param names undefined: all */
export function chooseToolsets(all: ToolsetHost[], names: string[] | undefined): ToolsetHost[] {
  if (!names) return all;
  const known = new Set(all.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return all.filter(({ name }) => names.includes(name));
  throw new ConfigError([
    `TOOLSETS names ${unknown.join(', ')}, but there are only ${[...known].join(', ')}`,
  ]);
}

async function loadOwnFiles(
  { toolsDir }: OwnToolConfig,
  builtIn: ToolsetHost[],
  clock: Clock,
): Promise<ToolsetHost[]> {
  if (!toolsDir.isRequired && !existsSync(toolsDir.path)) return [];
  const toolsets = await loadToolFiles(toolsDir.path, { clock });
  const twice = toolsets.find(({ name }) => builtIn.some((known) => known.name === name));
  if (!twice) return toolsets;
  throw new ToolSetupError(
    `The file ${twice.name}.tool.* in ${toolsDir.path} has the name of an existing toolset: rename it.`,
  );
}
