import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { systemTime } from '#time';
import { createMcpToolsets } from '../create-mcp-toolsets.js';
import { recordingLogger } from '../testing/fixture.js';
import { loadMcpConfig, McpConfigError, parseMcpConfig } from './mcp-config.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-mcp-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const parse = (config: unknown, env = {}) => parseMcpConfig(JSON.stringify(config), 'mcp.json', env);

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(McpConfigError);
    return (error as Error).message;
  }
  throw new Error('did not throw');
}

const UNSET = {
  start: 'eager',
  scope: 'shared',
  idleMs: 600_000,
  maxInstances: 20,
  concurrency: 10,
};

describe('mcp.json', () => {
  it('is read in the form that other MCP hosts use, and their own keys are ignored', () => {
    const servers = parse({
      mcpServers: {
        files: { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: { A: '1' }, autoApprove: ['x'] },
        remote: {
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer x' },
          timeoutMs: 5,
          trusted: true,
        },
      },
      inputs: [],
    });
    expect(servers).toEqual([
      {
        ...UNSET,
        name: 'files',
        command: 'npx',
        args: ['-y', 'server'],
        env: { A: '1' },
        timeoutMs: 60_000,
        trusted: false,
      },
      {
        ...UNSET,
        name: 'remote',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer x' },
        timeoutMs: 5,
        trusted: true,
      },
    ]);
  });

  it('skips disabled servers, even if their variables are missing', () => {
    expect(parse({ mcpServers: { a: { command: '${NONE}', disabled: true } } })).toEqual([]);
  });

  it('expands variables everywhere, with defaults', () => {
    const server = { command: '${BIN}', args: ['--key=${KEY}', '${PORT:-80}'], env: { T: '${KEY}${KEY}' } };
    expect(parse({ mcpServers: { a: server } }, { BIN: 'node', KEY: 'k' })).toMatchObject([
      { command: 'node', args: ['--key=k', '80'], env: { T: 'kk' } },
    ]);
  });

  it('names a missing variable and its place in the error', () => {
    expect(messageOf(() => parse({ mcpServers: { gh: { command: 'x', env: { TOKEN: '${GH}' } } } }))).toBe(
      'mcp.json: mcpServers.gh.env.TOKEN refers to the environment variable GH, which is not set.',
    );
  });

  it.each([
    [{ mcpServers: { a: {} } }, 'mcp.json: mcpServers.a needs either "command" or "url".'],
    [
      { mcpServers: { a: { command: 'x', url: 'http://y' } } },
      'mcp.json: mcpServers.a needs either "command" or "url".',
    ],
    [{ mcpServers: { a: { command: 5 } } }, /^mcp\.json: mcpServers\.a: command: .*string/],
    [{ mcpServers: { a: { url: 'file:///s3cret' } } }, /^mcp\.json: mcpServers\.a: url: /],
    [{ mcpServers: { a: { command: 'x', timeoutMs: 1e9 } } }, /timeoutMs/],
    [{ mcpServers: { a: { command: 'x', class: 's3cret' } } }, /class/],
    [{ mcpServers: { a: { type: 'sse', url: 'http://y' } } }, /"sse" is not supported/],
    [{ servers: {} }, /^mcp\.json: has no "mcpServers"/],
    [{ mcpServers: [] }, /^mcp\.json: mcpServers: /],
    [[], /^mcp\.json: /],
  ])('refuses %j with one sentence that contains no values', (config, message) => {
    const said = messageOf(() => parse(config));
    expect(said).toMatch(message);
    expect(said).not.toMatch(/s3cret|\n/);
  });

  it('is refused without its content when it is not JSON', () => {
    expect(messageOf(() => parseMcpConfig('{ "token": s3cret }', 'mcp.json', {}))).toBe(
      'mcp.json: is not JSON.',
    );
  });

  it('may be missing unless an operator set its path', () => {
    const path = join(folder, 'none.json');
    expect(loadMcpConfig({ path, isExplicit: false })).toEqual([]);
    expect(messageOf(() => loadMcpConfig({ path, isExplicit: true }))).toBe(`${path}: does not exist.`);
    expect(messageOf(() => loadMcpConfig({ path: folder, isExplicit: false }))).toMatch(
      /cannot be read \(EISDIR\)/,
    );
  });

  it('is read from a file with a byte order mark', () => {
    const path = join(folder, 'mcp.json');
    writeFileSync(path, '\ufeff{"mcpServers":{"a":{"command":"x"}}}');
    expect(loadMcpConfig({ path, isExplicit: true })).toHaveLength(1);
  });

  it('cannot give a server the name of a local toolset', () => {
    const servers = parse({ mcpServers: { math: { command: 'x' } } });
    expect(
      messageOf(() =>
        createMcpToolsets(servers, recordingLogger(), { ...systemTime(), reservedNames: ['math'] }),
      ),
    ).toMatch(/rename it/);
    expect(createMcpToolsets(servers, recordingLogger(), systemTime())).toMatchObject([
      { name: 'math', source: 'mcp', server: 'math' },
    ]);
  });

  it('keeps SWITCHYARD_OWNER for a server with a scope, and refuses it for a shared server', () => {
    const file = (scope: string) =>
      JSON.stringify({ mcpServers: { memory: { command: 'x', args: ['${SWITCHYARD_OWNER}'], scope } } });
    const [server] = parseMcpConfig(file('user'), 'mcp.json', {});
    expect(server).toMatchObject({ args: ['${SWITCHYARD_OWNER}'], scope: 'user' });
    expect(() => parseMcpConfig(file('shared'), 'mcp.json', {})).toThrow(
      'mcp.json: mcpServers.memory mentions SWITCHYARD_OWNER: that needs "scope": "user" or "scope": "conversation".',
    );
    expect(() => parseMcpConfig(file('everyone'), 'mcp.json', {})).toThrow('scope');
  });
});
