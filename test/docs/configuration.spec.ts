import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadStandaloneConfig } from '#bootstrap';
import { loadMcpConfig } from '#mcp';
import { codeBlocks, firstCells, readDocument, root, section } from './documents.js';

const readme = readDocument('README.md');

interface NestProject {
  root: string;
  sourceRoot: string;
  entryFile: string;
  compilerOptions: { tsConfigPath: string };
}

describe('the configuration table in README.md', () => {
  it('has the names of .env.example, each once', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    const names = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);
    const documented = firstCells(section(readme, '## Configuration')).map((cell) =>
      cell.replaceAll('`', ''),
    );
    expect(documented.sort()).toEqual(names.sort());
  });
});

describe('switchyard.example.json', () => {
  it('is a valid settings file with the defaults of budgets, limits and drain', () => {
    const { budgets, limits, drainGraceMs } = loadStandaloneConfig({
      CONFIG: join(root, 'switchyard.example.json'),
    });
    const defaults = loadStandaloneConfig({});
    expect({ budgets, limits, drainGraceMs }).toEqual({
      budgets: defaults.budgets,
      limits: defaults.limits,
      drainGraceMs: defaults.drainGraceMs,
    });
  });
});

describe('the tools in switchyard.example.json', () => {
  it('show every setting that a tool or toolset can have', () => {
    const { tools } = loadStandaloneConfig({ CONFIG: join(root, 'switchyard.example.json') });
    const entries = [...tools.values()].flatMap((settings) => Object.entries(settings));
    const shown = entries.filter(([, value]) => value !== undefined).map(([name]) => name);
    expect([...new Set(shown)].sort()).toEqual([
      'approve',
      'class',
      'concurrency',
      'fairShare',
      'identicalCalls',
      'outputBytes',
      'rate',
      'timeoutMs',
    ]);
  });
});

describe('mcp.example.json', () => {
  it('is a valid list of servers', () => {
    const servers = loadMcpConfig({ path: join(root, 'mcp.example.json'), isExplicit: true, env: {} });
    expect(servers.map(({ name }) => name)).toEqual(['everything', 'files']);
  });

  it('begins with the server that README.md adds', () => {
    const [block] = codeBlocks(section(readme, '## Add an MCP server'), 'json');
    const added = JSON.parse(block!.code) as { mcpServers: Record<string, unknown> };
    const example = JSON.parse(readDocument('mcp.example.json')) as typeof added;
    expect(added.mcpServers).toEqual({ everything: example.mcpServers.everything });
  });
});

describe('nest-cli.json', () => {
  const { projects } = JSON.parse(readDocument('nest-cli.json')) as { projects: Record<string, NestProject> };

  it('describes every app and every lib', () => {
    const roots = ['apps', 'libs'].flatMap((parent) =>
      readdirSync(join(root, parent)).map((folder) => `${parent}/${folder}`),
    );
    const described = Object.values(projects).map((project) => project.root);
    expect(described.sort()).toEqual(roots.sort());
  });

  it.each(Object.entries(projects))(
    'names an entry file and a configuration of %s that exist',
    (_, project) => {
      const { sourceRoot, entryFile, compilerOptions } = project;
      const entry = ['.ts', '.tsx'].filter((end) => existsSync(join(root, sourceRoot, entryFile + end)));
      expect(entry).toHaveLength(1);
      expect(existsSync(join(root, compilerOptions.tsConfigPath))).toBe(true);
    },
  );
});
