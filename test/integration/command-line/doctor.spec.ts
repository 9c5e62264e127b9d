import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { createStore } from '#store';
import { testServerScript } from '../../../libs/mcp/testing/fixture.js';
import { findFreePort } from '../../services/free-port.js';
import { AccountMcpServer } from '../../fakes/account-mcp-server.js';
import { startHarness } from '../gateway/gateway-harness.js';
import { root } from '../../docs/documents.js';
import { runCommand, runDoctor } from './run-command.js';

let folder = '';
let server: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-doctor-'));
  const store = createStore({ dataDir: folder });
  await store.open();
  await store.close();
});
afterEach(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (environment: Record<string, string>, ...words: string[]) =>
  runCommand({ DATA_DIR: folder, ...environment }, ...words);
const doctor = (environment: Record<string, string> = {}) => runDoctor({ DATA_DIR: folder, ...environment });

const tamper = (sql: string) => {
  const database = new Database(join(folder, 'switchyard.db'));
  database.exec(sql);
  database.close();
};

async function mcpConfig(mcpServers: object): Promise<{ MCP_CONFIG: string }> {
  const path = join(folder, 'mcp.json');
  await writeFile(path, JSON.stringify({ mcpServers }));
  return { MCP_CONFIG: path };
}

/** A provider that answers every request with this status. */
async function provider(status: number, body = '{"data":[]}') {
  const asked: string[] = [];
  server = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? ''}${String(headers['x-api-key'] ?? '')}`);
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('switchyard doctor', () => {
  it('finds nothing wrong with a healthy laptop, one line each', async () => {
    expect(await run({}, 'doctor')).toEqual({
      code: 0,
      text: [
        'OK       configuration: every variable and setting is valid.',
        'OK       broker: RABBITMQ_URL is not set: npm start needs no broker.',
        `OK       store: ${folder} answers, and has every collection and index.`,
        'OK       tools: a tool worker here hosts math, knowledge, web, http, time, memory, artifacts.',
        'OK       MCP servers: ./mcp.json names none.',
        'OK       model: the demo model answers.',
        '',
      ].join('\n'),
    });
  });

  it('judges the settings of a worker of a group as the worker does', async () => {
    const set = { RABBITMQ_URL: 'amqp://127.0.0.1:1', WORKER_GROUP: 'lab' };
    const about = async (more: Record<string, string>) => {
      const { found } = await runDoctor({ ...set, ...more });
      return found.filter(({ subject }) => ['configuration', 'tools'].includes(subject));
    };
    expect(await about({ TOOLS_DIR: join(root, 'examples/tool-worker') })).toMatchObject([
      { level: 'ok', text: 'every variable and setting is valid' },
      { level: 'ok', text: 'a tool worker here hosts weather' },
    ]);
    expect(await about({ TOOLS_DIR: folder })).toMatchObject([
      { level: 'ok' },
      { level: 'error', text: expect.stringContaining('There is no tool: put a file <toolset>.tool.mjs') },
    ]);
  });

  it('names every bad variable, and no value', async () => {
    const { bad, code, text } = await doctor({
      PORT: 's3cret',
      MODEL: 'nobody/s3cret',
      AUTH: 'jwt',
      DIALECTS: 'openai',
    });
    expect(code).toBe(1);
    expect(bad.map(({ subject, level }) => `${subject} ${level}`)).toEqual(
      expect.arrayContaining(['configuration error', 'configuration error']),
    );
    expect(text).toMatch(/PORT must be a whole number/);
    expect(text).toMatch(/MODEL must be demo or one of/);
    expect(text).not.toMatch(/s3cret|DIALECTS|demo model answers/);
    expect(text).toMatch(/not checked while the configuration has errors/);
  });

  it('warns of settings that look like a mistake, and ends with 0', async () => {
    const { bad, code } = await doctor({ RETENTION_DAYS: '30' });
    expect([code, bad]).toMatchObject([0, [{ subject: 'configuration', level: 'warning' }]]);
  });

  it.each([
    [{ TOOLS_DIR: 'nowhere' }, 'nowhere is not a folder'],
    [{ TOOLS_DIR: 'broken' }, 'x.tool.mjs: SyntaxError'],
    [{ DOCS_DIR: 'nowhere' }, 'DOCS_DIR names'],
    [{ TOOLSETS: 'math,wbe' }, 'TOOLSETS names wbe, but there are only math'],
  ])('finds what keeps a tool worker from starting: %j', async (given, text) => {
    await mkdir(join(folder, 'broken'));
    await writeFile(join(folder, 'broken', 'x.tool.mjs'), 'export default {');
    const paths = Object.entries(given).map(([name, value]) => [
      name,
      name === 'TOOLSETS' ? value : join(folder, value),
    ]);
    const { bad, code } = await doctor(Object.fromEntries(paths) as Record<string, string>);
    expect([code, bad]).toEqual([
      1,
      [{ subject: 'tools', level: 'error', text: expect.stringContaining(text), mend: expect.any(String) }],
    ]);
  });

  it('warns of a worker outside of a group that hosts a toolset of the group', async () => {
    const load = (...names: string[]) => ({
      toolsets: Object.fromEntries(names.map((name) => [name, { running: 0, slots: 1, per_second: 0 }])),
    });
    const store = createStore({ dataDir: folder });
    await store.open();
    const about = { role: 'worker' as const, host: 'here', beat: 0 };
    const own = 'worker-lab--00000000-0000-4000-8000-000000000001';
    for (const [_id, hosted] of [
      [own, load('web', 'shop')],
      ['worker-7', load('web', 'math')],
    ] as const) {
      await store.insertProcess({ ...about, _id });
      await store.beatTo(_id, 1, hosted);
    }
    await store.close();
    const CONFIG = join(folder, 'groups.json');
    await writeFile(CONFIG, JSON.stringify({ groups: [{ name: 'lab', toolsets: ['web', 'shop'] }] }));
    const { bad, code } = await doctor({ CONFIG });
    expect([code, bad]).toEqual([
      0,
      [
        {
          ...{ subject: 'groups', level: 'warning' },
          text: expect.stringMatching(/^worker-7 hosts web, which is in the group lab: /),
          mend: expect.stringContaining('TOOLSETS'),
        },
      ],
    ]);
  });

  it('takes no demo model for the one that was asked for', async () => {
    const { bad, text } = await doctor({ MODEL: 'openai/gpt-5' });
    expect(bad.map(({ subject }) => subject)).toEqual(['configuration', 'tools', 'model']);
    expect(text).not.toContain('demo model answers');
  });

  it('warns before the first start, which is no error', async () => {
    const { bad, code } = await doctor({ DATA_DIR: join(folder, 'new') });
    expect([code, bad]).toMatchObject([0, [{ subject: 'store', level: 'warning' }]]);
  });

  it('finds missing indexes and tables: one without which nothing starts is an error', async () => {
    const unique = 'turns_by_conversation_id_and_number';
    tamper(`DROP INDEX ${unique}; DROP INDEX turns_by_due_at; DROP TABLE facts`);
    const { bad, code } = await doctor();
    expect(code).toBe(1);
    expect(bad.map(({ level, text }) => `${level}: ${text.replace(folder, '')}`)).toEqual([
      'error: : it lacks the unique index on turns (conversation_id, number)',
      'warning: : it lacks the index on turns (due_at)',
      'warning: : it lacks the collection facts',
    ]);
    expect(bad.every(({ mend }) => mend?.startsWith('Start a process'))).toBe(true);
  });

  it('finds a store that cannot be reached, without its password', async () => {
    const url = `mongodb://user:s3cret@127.0.0.1:${await findFreePort()}/x`;
    const { bad, text } = await doctor({ MONGODB_URL: url });
    expect(bad).toMatchObject([{ subject: 'store', text: expect.stringContaining('cannot be reached') }]);
    expect(text).not.toContain('s3cret');
  });

  it('asks the gateway on PORT', async () => {
    const harness = await startHarness();
    const { port } = new URL(harness.url);
    expect((await run({ PORT: port }, 'status')).text).toMatch(/^PROCESS/);
    await harness.stop();
  });

  it('asks the running process about a store that it has locked', async () => {
    const harness = await startHarness();
    const { text, code } = await run({}, '--url', harness.url, 'doctor');
    expect(text).toMatch(/^OK +store: the store of the running process answers/m);
    expect(text).toMatch(/^ERROR +messages: nobody consumes the queue turns\. Start an orchestrator\.$/m);
    expect(code).toBe(1);
    await harness.bus.close();
    expect((await run({}, '--url', harness.url, 'doctor')).text).toMatch(
      /^ERROR +messages: .*cannot publish/m,
    );
    await harness.stop();
  });

  it('lists the tools of MCP servers, and names those that offer none', async () => {
    const env = await mcpConfig({
      good: { command: process.execPath, args: [testServerScript('scripted')] },
      absent: { command: '/nonexistent/server' },
      crashing: { command: process.execPath, args: ['-e', 'console.error("no license"); process.exit(1)'] },
      away: { url: `http://127.0.0.1:${await findFreePort()}/mcp` },
      wrong: { url: `http://user:s3cret@127.0.0.1:${await findFreePort()}/mcp` },
    });
    const { found, text, code } = await doctor(env);
    const servers = found.filter(({ subject }) => subject.startsWith('MCP'));
    expect(servers).toMatchObject([
      { subject: 'MCP server good', level: 'ok', text: expect.stringMatching(/^it offers \d+ tools$/) },
      {
        subject: 'MCP server absent',
        level: 'error',
        text: expect.stringMatching(/^it offers no tools: .*ENOENT/),
        mend: 'Install its command, or correct it.',
      },
      { subject: 'MCP server crashing', text: expect.stringMatching(/it printed: no license$/) },
      {
        subject: 'MCP server away',
        level: 'error',
        text: expect.stringContaining('ECONNREFUSED'),
        mend: 'Start it, or correct its address.',
      },
      { subject: 'MCP server wrong', text: expect.stringContaining('includes credentials') },
    ]);
    expect(code).toBe(1);
    expect(text).not.toContain('s3cret');
  });

  it('lists a server that acts for a person with its service token, and says what it lacks', async () => {
    const accounts = await AccountMcpServer.start();
    const entry = (serviceToken: string) => ({ url: accounts.url, scope: 'user', oauth: { serviceToken } });
    const servers = await mcpConfig({ right: entry(accounts.serviceToken), wrong: entry('s3cret') });
    const keys = { TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64'), PUBLIC_URL: 'http://localhost:3000' };
    const { found, text } = await doctor({ ...servers, ...keys });
    expect(found.filter(({ subject }) => subject.startsWith('MCP'))).toMatchObject([
      {
        subject: 'MCP server right',
        level: 'ok',
        text: expect.stringMatching(/^it offers 1 tool; each user/),
      },
      {
        subject: 'MCP server wrong',
        level: 'error',
        text: expect.stringContaining('401'),
        mend: 'Correct the key or token that is sent to it.',
      },
    ]);
    expect(text).not.toContain('s3cret');
    const group = await doctor({ ...servers, ...keys, WORKER_GROUP: 'crm' });
    expect(group.bad).toContainEqual({
      subject: 'MCP server right',
      level: 'error',
      text: 'it acts for a person, and a worker of a group has no store for tokens',
      mend: 'Give it to a worker of the operator, with MONGODB_URL.',
    });
    await accounts.stop();
  });

  it('names an MCP configuration that cannot be read', async () => {
    await writeFile(join(folder, 'mcp.json'), '{');
    const { bad } = await doctor({ MCP_CONFIG: join(folder, 'mcp.json') });
    expect(bad).toMatchObject([
      { subject: 'MCP servers', level: 'error', text: expect.stringContaining('is not JSON') },
    ]);
  });

  it.each([
    [200, 'ok', 'accepts the key'],
    [401, 'error', 'refuses the key'],
    [404, 'warning', 'not checked'],
  ])('asks a provider for its models: %i is %s', async (status, level, text) => {
    const { asked, url } = await provider(status);
    const { found, text: printed } = await doctor({
      MODEL: 'openai/gpt-5',
      OPENAI_API_KEY: 'sk-s3cret',
      OPENAI_BASE_URL: url,
    });
    expect(found.at(-1)).toMatchObject({
      subject: 'model provider openai',
      level,
      text: expect.stringContaining(text),
    });
    expect(asked).toEqual(['/v1/models Bearer sk-s3cret']);
    expect(printed).not.toContain('s3cret');
  });

  it('takes no web page for an accepted key', async () => {
    const { url } = await provider(200, '<html>hi</html>');
    const { found } = await doctor({ MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url });
    expect(found.at(-1)).toMatchObject({ level: 'warning', text: expect.stringContaining('not checked') });
  });

  it('finds a DATA_DIR in which no process could start', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const { bad, code } = await doctor({ DATA_DIR: join(file, 'data') });
    expect([code, bad]).toMatchObject([1, [{ subject: 'store', level: 'error' }]]);
  });

  it('finds a provider that cannot be reached', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const { found } = await doctor({
      MODEL: 'anthropic/claude',
      ANTHROPIC_API_KEY: 'sk-s3cret',
      ANTHROPIC_BASE_URL: url,
    });
    expect(found.at(-1)).toMatchObject({
      subject: 'model provider anthropic',
      level: 'error',
      text: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('lets no text of others drive the terminal or forge a line', async () => {
    const env = await mcpConfig({ 'a\u001b[2J\nOK       b': { command: '/nonexistent/server' } });
    const { text } = await run(env, 'doctor');
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/^OK +b:/m);
  });
});
