import { statSync } from 'node:fs';
import { ConfigError, type ToolConfig } from '#bootstrap';
import type { Store } from '#store';
import type { ToolsetHost } from '#tools';
import { createLocalToolsets } from './create-local-toolsets.js';
import type { FactStore } from './memory.js';
import { addOwnToolsets, chooseToolsets, createOwnToolsets, type OwnToolSources } from './own-toolsets.js';

export interface ToolSources extends OwnToolSources {
  /** Built-in tools work on its artifacts and facts; absent: there are no such tools. */
  store?: Pick<Store, 'getArtifact'> & FactStore;
  /** Where the document index is kept; if absent, in memory. */
  dataDir?: string;
}

/** Toolsets that work on what the store keeps. */
const NEEDS_STORE = ['memory', 'artifacts'];

/**
 * The toolsets that a tool worker with this configuration hosts: built-in ones, those of `TOOLS_DIR` and MCP servers, as
 * far as `TOOLSETS` names them. A worker without a store hosts built-in ones only by name: its group rarely has them.
 */
export async function createToolsets(config: ToolConfig, sources: ToolSources): Promise<ToolsetHost[]> {
  const { docsDir, httpFetchAllow } = config;
  const { store, dataDir, clock } = sources;
  checkDocsDir(docsDir);
  if (!store && !config.toolsets) return createOwnToolsets(config, sources);
  const kept = { artifacts: store, facts: store };
  const builtIn = createLocalToolsets({ clock, docsDir, dataDir, ...kept, http: { allow: httpFetchAllow } });
  const all = await addOwnToolsets(builtIn, config, sources);
  if (!store) checkNeedsNoStore(config.toolsets ?? [], all);
  return chooseToolsets(all, config.toolsets);
}

function checkNeedsNoStore(names: string[], all: ToolsetHost[]): void {
  const missing = names.filter(
    (name) => NEEDS_STORE.includes(name) && !all.some((toolset) => toolset.name === name),
  );
  if (missing.length > 0)
    throw new ConfigError([`TOOLSETS names ${missing.join(', ')}, which works only with MONGODB_URL`]);
}

function checkDocsDir(docsDir: string | undefined): void {
  if (docsDir === undefined || statSync(docsDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigError([`DOCS_DIR names ${docsDir}, which is not a folder`]);
}
