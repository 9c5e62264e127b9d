import { existsSync, statSync } from 'node:fs';
import { ConfigError, type ToolConfig } from '#bootstrap';
import { createMcpToolsets, loadMcpConfig, type McpLogger, type McpMetrics } from '#mcp';
import type { Store } from '#store';
import { ToolSetupError, type ToolsetHost } from '#tools';
import type { Clock, Time } from '#time';
import { createLocalToolsets } from './create-local-toolsets.js';
import { loadToolFiles } from './load-tool-files.js';
import type { FactStore } from './memory.js';

export interface ToolSources extends Time {
  logger: McpLogger;
  metrics?: McpMetrics;
  /** Built-in tools work on its artifacts and facts; absent: there are no such tools. */
  store?: Pick<Store, 'getArtifact'> & FactStore;
  /** Where the document index is kept; if absent, in memory. */
  dataDir?: string;
}

/** Toolsets that work on what the store keeps. */
const NEEDS_STORE = ['memory', 'artifacts'];
/** MCP servers often have these names. A server of the same name replaces the built-in toolset. */
const REPLACEABLE = ['memory', 'time', 'http'];

/** The toolsets that a tool worker with this configuration hosts: built-in ones, those of `TOOLS_DIR` and MCP servers, as far as `TOOLSETS` names them. */
export async function createToolsets(config: ToolConfig, sources: ToolSources): Promise<ToolsetHost[]> {
  const { docsDir, httpFetchAllow } = config;
  const { logger, metrics, store, dataDir, clock, random } = sources;
  checkDocsDir(docsDir);
  const { path, isRequired } = config.mcpConfig;
  const servers = loadMcpConfig({ path, isExplicit: isRequired });
  const kept = { artifacts: store, facts: store };
  const builtIn = createLocalToolsets({ clock, docsDir, dataDir, ...kept, http: { allow: httpFetchAllow } });
  const taken = new Set(servers.map(({ name }) => name).filter((name) => REPLACEABLE.includes(name)));
  for (const name of taken) logger.warn({ server: name }, `MCP server ${name} replaces the toolset ${name}`);
  const own = [...builtIn, ...(await loadOwnFiles(config, builtIn, clock))].filter(
    ({ name }) => !taken.has(name),
  );
  const reservedNames = own.map(({ name }) => name);
  const all = [...own, ...createMcpToolsets(servers, logger, { reservedNames, metrics, clock, random })];
  if (!store) checkNeedsNoStore(config.toolsets ?? [], all);
  return config.toolsets ? chosen(all, config.toolsets) : all;
}

async function loadOwnFiles(
  { toolsDir }: ToolConfig,
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

function checkNeedsNoStore(names: string[], all: ToolsetHost[]): void {
  const missing = names.filter(
    (name) => NEEDS_STORE.includes(name) && !all.some((toolset) => toolset.name === name),
  );
  if (missing.length > 0)
    throw new ConfigError([`TOOLSETS names ${missing.join(', ')}, which works only with MONGODB_URL`]);
}

function chosen(all: ToolsetHost[], names: string[]): ToolsetHost[] {
  const known = new Set(all.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return all.filter(({ name }) => names.includes(name));
  throw new ConfigError([
    `TOOLSETS names ${unknown.join(', ')}, but there are only ${[...known].join(', ')}`,
  ]);
}

function checkDocsDir(docsDir: string | undefined): void {
  if (docsDir === undefined || statSync(docsDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigError([`DOCS_DIR names ${docsDir}, which is not a folder`]);
}
