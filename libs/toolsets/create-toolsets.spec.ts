import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolConfig } from '#bootstrap';
import { createMetrics } from '#observability';
import { createStore } from '#store';
import { systemTime } from '#time';
import { createToolsets } from './create-toolsets.js';
import { createOwnToolsets, type OwnToolSources } from './own-toolsets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-toolsets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A tool as another copy of the package would make it. */
const TOOL = `export default {
  definition: { own_name: 'x', description: 'X.', input_schema: { type: 'object' }, class: 'read', timeout_ms: 1 },
  run: async () => ({ status: 'success' }),
};`;

const createAll = (config: ToolConfig, sources: OwnToolSources) =>
  createToolsets(config, { ...sources, store: createStore({ dataDir: ':memory:' }) });

async function create(
  servers: string[],
  files: string[] = [],
  { toolsets, make = createAll }: { toolsets?: string[]; make?: typeof createAll } = {},
) {
  const path = join(folder, 'mcp.json');
  const mcpServers = Object.fromEntries(servers.map((name) => [name, { command: 'true' }]));
  writeFileSync(path, JSON.stringify({ mcpServers }));
  for (const file of files) writeFileSync(join(folder, file), TOOL);
  const warnings: string[] = [];
  const logger = {
    info: () => undefined,
    error: () => undefined,
    warn: (_: object, text: string) => warnings.push(text),
  };
  const config = {
    mcpConfig: { path, isRequired: true },
    toolsets,
    docsDir: undefined,
    toolsDir: { path: folder, isRequired: true },
    httpFetchAllow: [],
  };
  const metrics = createMetrics({ collectDefaults: false });
  const hosts = await make(config, { ...systemTime(), logger, metrics });
  return { hosts: hosts.map(({ name, source }) => `${name} ${source}`), warnings };
}

describe('createToolsets', () => {
  it('hosts the local toolsets, those of files, and MCP servers', async () => {
    const { hosts, warnings } = await create(['files'], ['weather.tool.mjs']);
    expect(hosts).toEqual([
      ...['math local', 'knowledge local', 'web local', 'http local', 'time local', 'memory local'],
      ...['artifacts local', 'weather local', 'files mcp'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('lets a server named memory, time or http replace the local toolset, with a warning', async () => {
    const { hosts, warnings } = await create(['memory', 'time']);
    expect(hosts).toEqual([
      'math local',
      'knowledge local',
      'web local',
      'http local',
      'artifacts local',
      'memory mcp',
      'time mcp',
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('refuses a file with the name of a local toolset, and a server with the name of a file', async () => {
    await expect(create([], ['math.tool.mjs'])).rejects.toThrow(/math\.tool\.\*.*rename it/);
    rmSync(join(folder, 'math.tool.mjs'));
    await expect(create(['weather'], ['weather.tool.mjs'])).rejects.toThrow(/weather.*rename it/);
  });
});

describe('createToolsets without a store', () => {
  it('hosts built-in toolsets only by name', async () => {
    expect((await create(['files'], ['weather.tool.mjs'], { make: createToolsets })).hosts).toEqual([
      ...['weather local', 'files mcp'],
    ]);
    const named = await create([], ['weather.tool.mjs'], { make: createToolsets, toolsets: ['math'] });
    expect(named.hosts).toEqual(['math local']);
    await expect(
      create([], ['weather.tool.mjs'], { make: createToolsets, toolsets: ['memory'] }),
    ).rejects.toThrow('works only with MONGODB_URL');
  });
});

describe('createOwnToolsets', () => {
  const own = { make: createOwnToolsets };

  it('hosts the toolsets of files and MCP servers, also with the names of built-in ones', async () => {
    const { hosts, warnings } = await create(['memory'], ['math.tool.mjs'], own);
    expect([hosts, warnings]).toEqual([['math local', 'memory mcp'], []]);
  });

  it('hosts those that TOOLSETS names, and refuses a name that it does not have', async () => {
    const { hosts } = await create(['files'], ['weather.tool.mjs'], { ...own, toolsets: ['weather'] });
    expect(hosts).toEqual(['weather local']);
    const unknown = create([], [], { ...own, toolsets: ['http'] });
    await expect(unknown).rejects.toThrow('TOOLSETS names http, but there are only weather');
  });

  it('refuses to host nothing', async () => {
    await expect(create([], [], own)).rejects.toThrow(/no tool: .*TOOLS_DIR.*MCP_CONFIG/);
  });
});
