import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtProgram } from '../services/built.js';
import { runCommand } from '../services/child.js';
import { findFreePort } from '../services/free-port.js';
import { startProcess, type ProcessKind } from '../services/processes.js';
import { describeWithServices, mongoForTest, serviceStartTimeoutMs } from '../services/test-services.js';
import { newFolder, removeFolders, writeSettings } from './standalone-process.js';

/** Starts a process that must not come up, and returns what it said. */
async function refused(kind: ProcessKind, env: Record<string, string>, withinMs = 40_000): Promise<string> {
  const DATA_DIR = await newFolder();
  const started = await startProcess(
    kind,
    { DATA_DIR, LOG_LEVEL: 'error', ...env },
    { waitUntilReady: false },
  );
  const timer = setTimeout(() => void started.kill(), withinMs);
  const { code } = await started.exit;
  clearTimeout(timer);
  expect([code, started.log]).toEqual([1, expect.any(String)]);
  expect(started.log).not.toMatch(/^\s+at /m);
  return started.log.trim();
}

const KINDS = ['gateway', 'orchestrator', 'tool-worker'] as const;
const servers: Server[] = [];

/** A server that takes every connection and says nothing; its port. */
async function listenSilently(): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

afterEach(removeFolders);
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

describe('invalid settings', () => {
  const cases: [string, Record<string, string>, string[]][] = [
    [
      'a real model without a key',
      { MODEL: 'anthropic/claude-sonnet-5-5' },
      ['ANTHROPIC_API_KEY is missing: MODEL=anthropic/… needs it'],
    ],
    [
      'a model name that cannot be one',
      { MODEL: 'anthropic/claude sonnet', ANTHROPIC_API_KEY: 'sk-ant-secret' },
      ['MODEL must name a model after the provider'],
    ],
    ['AUTH=none for everybody', { HOST: '0.0.0.0' }, ['HOST must be a loopback address', 'AUTH=jwt']],
    ['AUTH=jwt without a secret', { AUTH: 'jwt' }, ['AUTH=jwt needs JWT_SECRET or JWKS_URL']],
    [
      'a toolset that does not exist',
      { TOOLSETS: 'math,maths' },
      ['TOOLSETS names maths', 'math, knowledge, web'],
    ],
    ['a folder of tools that does not exist', { TOOLS_DIR: '/nowhere/tools' }, ['correct TOOLS_DIR']],
    [
      'a host that cannot be one',
      { HTTP_FETCH_ALLOW: 'http://inside' },
      ['HTTP_FETCH_ALLOW must be comma-separated hosts'],
    ],
    [
      'a fault point that does not exist',
      { SWITCHYARD_FAULT: 'turn_clamed:kill' },
      ['SWITCHYARD_FAULT names an unknown point', 'turn_claimed'],
    ],
    [
      'several at once, and what looks like a typo',
      { PORT: '99999', AUTH: 'nobody', MODEL: 'antropic/x', ANTROPIC_API_KEY: 'sk-ant-secret' },
      ['4 settings are wrong', 'PORT must be', 'AUTH must be', 'MODEL must be demo or', 'ANTHROPIC_API_KEY?'],
    ],
  ];

  test.each(cases)('%s', async (_, env, said) => {
    const log = await refused('standalone', env);
    expect(log).toMatch(/^The standalone cannot start: /);
    for (const text of said) expect(log).toContain(text);
    expect(log).not.toContain('sk-ant-secret');
  });
});

describe('an unusable file', () => {
  const cases: [string, string, unknown, string][] = [
    ['mcp.json that is not JSON', 'MCP_CONFIG', '{ "mcpServers": {', 'mcp.json: is not JSON'],
    ['mcp.json with servers as a list', 'MCP_CONFIG', { mcpServers: [] }, 'mcp.json: mcpServers: '],
    [
      'a server with a wrong argument',
      'MCP_CONFIG',
      { mcpServers: { files: { command: 'x', args: [1] } } },
      'mcp.json: mcpServers.files: args.0',
    ],
    ['settings with a wrong value', 'CONFIG', { budgets: { steps: 'many' } }, 'budgets.steps'],
  ];

  test.each(cases)('%s: the message names the path', async (_, name, content, said) => {
    const path = await writeSettings(name === 'CONFIG' ? 'switchyard.json' : 'mcp.json', content);
    const log = await refused('standalone', { [name]: path });
    expect(log).toContain(said);
    expect(log.split('\n').length).toBeLessThanOrEqual(3);
  });

  test('that is configured and does not exist, and a data folder that cannot be made', async () => {
    expect(await refused('standalone', { MCP_CONFIG: '/nowhere/mcp.json' })).toContain(
      '/nowhere/mcp.json: does not exist',
    );
    const DATA_DIR = `${await writeSettings('file', '')}/data`;
    expect(await refused('standalone', { DATA_DIR })).toContain(`Cannot create the folder ${DATA_DIR}`);
  });

  test('as the documents folder: a file, and nothing at all', async () => {
    for (const DOCS_DIR of [await writeSettings('notes.md', '# Notes'), '/nowhere/notes'])
      expect(await refused('standalone', { DOCS_DIR })).toContain(
        `DOCS_DIR names ${DOCS_DIR}, which is not a folder`,
      );
  });
});

describe('an address that is in use or does not answer', () => {
  let PORT: string;

  beforeAll(async () => {
    PORT = await listenSilently();
  });

  test('its own port: the message says what to do', async () => {
    expect(await refused('standalone', { PORT })).toBe(
      `Port ${PORT} is in use: stop the program that uses it, or set PORT (OPS_PORT for health and metrics) to a free port.`,
    );
  });

  test('the store of each kind of process, where nothing listens', async () => {
    const place = `127.0.0.1:${await findFreePort()}`;
    const logs = await Promise.all(KINDS.map((kind) => refused(kind, servicesAt(place))));
    for (const log of logs) {
      expect(log).toMatch(/^The (gateway|orchestrator|tool worker) cannot start: MongoDB at /);
      expectOneSentence(log, place);
    }
  }, 60_000);

  test('the store, where a server listens and does not answer', async () => {
    expectOneSentence(await refused('gateway', servicesAt(`127.0.0.1:${PORT}`)), `127.0.0.1:${PORT}`);
  }, 60_000);

  test('the addresses of broker and store, when they are not set', async () => {
    const log = await refused('tool-worker', {});
    expect(log).toMatch(/2 settings are wrong[^]*RABBITMQ_URL is missing[^]*MONGODB_URL is missing/);
  });
});

describeWithServices(['mongo'], 'a broker that cannot be reached', () => {
  let MONGODB_URL: string;

  beforeAll(async () => {
    MONGODB_URL = (await mongoForTest())!.url;
  }, serviceStartTimeoutMs);

  test('because nothing listens', async () => {
    const place = `127.0.0.1:${await findFreePort()}`;
    const env = { ...servicesAt(place), MONGODB_URL };
    for (const log of await Promise.all(KINDS.map((kind) => refused(kind, env)))) {
      expect(log).toMatch(/^The (gateway|orchestrator|tool worker) cannot start: RabbitMQ at /);
      expectOneSentence(log, place);
    }
  }, 60_000);

  test('because it listens without answering', async () => {
    const place = `127.0.0.1:${await listenSilently()}`;
    expectOneSentence(await refused('gateway', { ...servicesAt(place), MONGODB_URL }), place);
  }, 60_000);
});

describe('the token command', () => {
  const token = (...words: string[]) =>
    runCommand(process.execPath, [builtProgram('token'), ...words], {
      env: { PATH: process.env.PATH ?? '', JWT_SECRET: 'a secret of at least thirty-two characters' },
    });

  test.each([[[]], [['--user']], [['--user', 'ann', '--days', '3']], [['--help']]])(
    'prints its usage for %j, and no token',
    async (words) => {
      const said = await token(...words).catch(String);
      expect(said).toMatch(/failed \(1\)[^]*npm run token -- --user <name> \[--hours/);
      expect(said).not.toMatch(/eyJ|^\s+at /m);
    },
  );
});

function servicesAt(place: string) {
  return {
    RABBITMQ_URL: `amqp://ann:hush-hush@${place}`,
    MONGODB_URL: `mongodb://ann:hush-hush@${place}/switchyard`,
  };
}

function expectOneSentence(log: string, place: string): void {
  expect(log.split('\n')).toHaveLength(1);
  expect(log).toContain(place);
  expect(log).not.toContain('hush');
}
