import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '../../../test/services/wait-for.js';
import { openTransport } from '../connection/open-transport.js';
import { recordingLogger, stdioServer } from '../testing/fixture.js';
import { commandAsUser } from './run-as-user.js';
import { McpConfigError, parseMcpConfig } from './mcp-config.js';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const NOBODY = 65_534;
/** Reports on stderr whether it can read the environment of its parent. */
const SPY = `
  const { readFileSync } = require('node:fs');
  try { console.error('read', readFileSync('/proc/' + process.ppid + '/environ').length > 0) }
  catch ({ code }) { console.error(code, process.getuid(), process.getgid(), process.getgroups().join()) }
  setInterval(() => {}, 1000);
`;

async function reportOf(uid: number | undefined): Promise<string> {
  const logger = recordingLogger();
  const transport = openTransport(stdioServer('spy', ['-e', SPY], { uid, cwd: '/' }), logger);
  await transport.start();
  try {
    const line = await waitFor(() => logger.lines[0], { what: 'a line' });
    return line.message;
  } finally {
    await transport.close();
  }
}

const parse = (server: object) =>
  parseMcpConfig(JSON.stringify({ mcpServers: { files: { command: 'npx', ...server } } }), 'mcp.json', {});

describe('a server without uid', () => {
  it('starts with its command unchanged', () => {
    expect(commandAsUser(stdioServer('files', ['a'], { command: 'npx' }))).toEqual({
      command: 'npx',
      args: ['a'],
    });
  });

  (process.platform === 'linux' ? it : it.skip)('reads the environment of its worker', async () => {
    expect(await reportOf(undefined)).toBe('read true');
  });
});

describe('a server with uid', () => {
  // Only root can start a process as another user.
  (isRoot ? it : it.skip)(
    'runs as that user and group and cannot read the environment of its worker',
    async () => {
      expect(await reportOf(NOBODY)).toBe(`EACCES ${NOBODY} ${NOBODY} ${NOBODY}`);
    },
  );

  it('runs as the group of the same number unless gid is set', () => {
    const server = stdioServer('files', [], { uid: 1_000, gid: 50 });
    expect(commandAsUser(server).args).toContain('--regid=50');
    expect(commandAsUser({ ...server, gid: undefined }).args).toContain('--regid=1000');
  });
});

const playUser = (uid: number) => void jest.spyOn(process, 'getuid' as 'cwd').mockReturnValue(uid as never);

describe('uid in mcp.json', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('is refused in a worker that does not run as root', () => {
    playUser(1_000);
    expect(() => parse({ uid: 1_001 })).toThrow(McpConfigError);
    expect(() => parse({ uid: 1_001 })).toThrow(/mcp\.json: mcpServers\.files\.uid (needs|works on Linux)/);
  });

  it.each([{ uid: 0 }, { uid: -1 }, { uid: 2 ** 32 - 1 }, { uid: 'nobody' }, { gid: 5 }])(
    'refuses the setting %j',
    (server) => {
      playUser(0);
      expect(() => parse(server)).toThrow(McpConfigError);
    },
  );
});
