import { statSync } from 'node:fs';
import { ConfigError, settingsOfTool, type Settings, type ToolConfig } from '#bootstrap';
import { createMcpToolsets, loadMcpConfig, type McpLogger } from '#mcp';
import type { Store } from '#store';
import { createLocalToolsets, type ToolsetHost } from '#tools';
import type { ToolOverrides } from './tool-worker.deps.js';

/** The toolsets that this worker hosts: local ones and MCP servers, of those that `TOOLSETS` names. */
export function createToolsets(
  config: ToolConfig,
  logger: McpLogger,
  { artifacts, dataDir }: { artifacts: Pick<Store, 'getArtifact'>; dataDir?: string },
): ToolsetHost[] {
  checkDocsDir(config.docsDir);
  const { path, isRequired } = config.mcpConfig;
  const servers = loadMcpConfig({ path, isExplicit: isRequired });
  const local = createLocalToolsets({ docsDir: config.docsDir, dataDir, artifacts });
  const reservedNames = local.map(({ name }) => name);
  const all = [...local, ...createMcpToolsets(servers, logger, { reservedNames })];
  if (!config.toolsets) return all;
  const known = new Set(all.map(({ name }) => name));
  const unknown = config.toolsets.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new ConfigError([
      `TOOLSETS names ${unknown.join(', ')}, but there are only ${[...known].join(', ')}`,
    ]);
  }
  return all.filter(({ name }) => config.toolsets?.includes(name));
}

function checkDocsDir(docsDir: string | undefined): void {
  if (docsDir === undefined || statSync(docsDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigError([`DOCS_DIR names ${docsDir}, which is not a folder`]);
}

/** What `switchyard.json` says of a toolset (`math`) or a tool (`math.add`). */
export function overridesFor(settings: Settings): (name: string) => ToolOverrides {
  return (name) =>
    name.includes('.') ? settingsOfTool(settings.tools, name) : (settings.tools.get(name) ?? {});
}
