import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';
import ts from 'typescript';
import { groupWorkerEnvironment } from '../../libs/bootstrap/config/environment.js';
import { codeBlocks, firstCells, readDocument, root, section } from '../docs/documents.js';
import { groupUserUrl } from '../services/group-user.js';
import { Child } from '../services/child.js';
import { findFreePort } from '../services/free-port.js';
import { installToolWorker, packToolWorker, type InstalledWorker } from '../services/installed-worker.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, rabbitmqForTest, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { removeFolders, startStandalone, writeSettings } from './standalone-process.js';
import { Viewer } from './viewer.js';

interface Manifest {
  version: string;
  license: string;
  engines: object;
  dependencies: Record<string, string>;
}

const INSTALL_MS = 240_000;
/** Who requires it gets an ES module, and TypeScript's oldest resolution knows no `exports`: it is for ESM only. */
const NOT_FOR_ESM = ['node10', 'node16-cjs'];
const readme = readDocument('packages/tool-worker/README.md');
const blockOf = (heading: string, language: string) =>
  codeBlocks(section(readme, heading), language)[0]!.code;
const read = (path: string) => JSON.parse(readDocument(path)) as Manifest;

const REST = `import { defineTool, z } from '@switchyard/tool-worker/tools';
import { setTimeout as sleep } from 'node:timers/promises';
const nap = defineTool({
  name: 'nap',
  description: 'Sleeps.',
  input: z.strictObject({ ms: z.number() }),
  class: 'once',
  timeoutMs: 20_000,
  run: async ({ ms }, { progress }) => {
    progress(0, ms);
    await sleep(ms);
    return 'slept';
  },
});
const wake = defineTool({
  name: 'wake',
  description: 'Wakes somebody.',
  input: z.strictObject({ who: z.string().regex(/^[a-z]+$/) }),
  class: 'read',
  timeoutMs: 20_000,
  run: ({ who }) => who + ' is awake',
});
export default [nap, wake];`;

const PROGRAM = `import { createToolWorker, type EmbeddedToolWorker, type ToolWorkerOptions } from '@switchyard/tool-worker';
import { defineTool, runTool, ToolError, z, type Tool, type ToolResult } from '@switchyard/tool-worker/tools';
const greet: Tool = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.strictObject({ name: z.string(), times: z.int().optional() }),
  class: 'read',
  timeoutMs: 1000,
  run: ({ name, times = 1 }, { userId }) => {
    if (name === '') throw new ToolError({ error_type: 'ValidationError', error_message: userId });
    return name.repeat(times);
  },
});
export const result: ToolResult = await runTool(greet, { name: 'Ann' });
const options: ToolWorkerOptions = { tools: { people: [greet] }, rabbitmqUrl: '', group: 'lab' };
const worker: EmbeddedToolWorker = createToolWorker(options);
export const metrics: string = await worker.registry.metrics();
// @ts-expect-error it has no store
createToolWorker({ ...options, mongodbUrl: '' });
// @ts-expect-error an argument that the schema does not name
defineTool({ ...({} as never), input: z.strictObject({}), run: ({ nothing }) => nothing });
`;

describe('the package of the tool worker', () => {
  let folder: string;
  let tarball: Buffer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-packed-'));
    tarball = readFileSync(await packToolWorker(folder));
  }, INSTALL_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has the version, licence and Node of the repository, whose versions of packages it takes', () => {
    const [ours, its] = [read('package.json'), read('packages/tool-worker/package.json')];
    expect(its).toMatchObject({ version: ours.version, license: ours.license, engines: ours.engines });
    for (const [name, version] of Object.entries(its.dependencies))
      expect([name, version]).toEqual([name, ours.dependencies[name]]);
    expect(readDocument('packages/tool-worker/LICENSE')).toBe(readDocument('LICENSE'));
  });

  it('has nothing for publint to find', async () => {
    const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
    const { messages } = await publint({ pack: { tarball: data as ArrayBuffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('has the right types and module kinds for every way to import it as ES modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    if (!analysis.types) throw new Error('it has no types');
    expect(Object.keys(analysis.entrypoints)).toEqual(['.', './tools', './package.json']);
    const found = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem && NOT_FOR_ESM.includes(problem.resolutionKind)),
    );
    expect(found).toEqual([]);
  });

  it('documents every setting that it reads, and no others', () => {
    const names = firstCells(section(readme, '## Start a worker')).flatMap((cell) => cell.split(', '));
    const example = readDocument('.env.example');
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(example).toMatch(new RegExp(`^(# )?${name.replaceAll('`', '')}=`, 'm'));
    const documented = names.map((name) => name.replaceAll('`', ''));
    expect(documented.sort()).toEqual(Object.keys(groupWorkerEnvironment.shape).sort());
  });
});

describeWithServices(['rabbitmq'], 'the package of the tool worker, installed elsewhere', () => {
  const group = { name: 'lab', toolsets: ['weather', 'rest', 'everything'] };
  let installed: InstalledWorker;
  let installation: SwitchyardProcess;
  let ann: Viewer;
  let env: Record<string, string>;

  beforeAll(async () => {
    installed = await installToolWorker();
    const tools = join(installed.folder, 'tools');
    mkdirSync(tools);
    writeFileSync(join(tools, 'weather.tool.mjs'), blockOf('## Write a tool', 'js'));
    writeFileSync(join(tools, 'rest.tool.mjs'), REST);
    writeFileSync(join(installed.folder, 'program.mjs'), blockOf('## In your own program', 'js'));
    const { resolve } = createRequire(import.meta.url);
    const args = [resolve('@modelcontextprotocol/server-everything/dist/index.js')];
    const mcpServers = { everything: { command: process.execPath, args } };
    writeFileSync(join(installed.folder, 'mcp.json'), JSON.stringify({ mcpServers }));

    const broker = (await rabbitmqForTest())!;
    const own = await groupUserUrl(broker, group);
    env = { PATH: process.env.PATH ?? '', RABBITMQ_URL: own.href, WORKER_GROUP: group.name };
    const CONFIG = await writeSettings('switchyard.json', { groups: [group] });
    installation = await startStandalone({ RABBITMQ_URL: broker.url, CONFIG, TOOLSETS: 'math' });
    ann = await Viewer.connect(installation.url);
  }, serviceStartTimeoutMs + INSTALL_MS);

  afterAll(async () => {
    ann?.close();
    await installation?.kill();
    await Promise.all([installed?.remove(), removeFolders()]);
  });

  const start = (command: string[], more: Record<string, string> = {}) =>
    new Child('installed worker', command[0]!, command.slice(1), {
      cwd: installed.folder,
      env: { ...env, ...more },
    });
  const isOffered = (tool: string, expected = true) =>
    waitFor(
      async () => (await (await fetch(`${installation.url}/api/tools`)).text()).includes(tool) === expected,
      { what: `${tool}: ${expected}`, timeoutMs: 60_000 },
    );
  const ask = async (question: string) => {
    const { conversation_id, turn_id } = await ann.send(question);
    const { steps } = await ann.ended(conversation_id, turn_id);
    return steps[0]!.calls[0]!;
  };

  it('brings no store, no framework for HTTP and no model along', () => {
    const modules = join(installed.folder, 'node_modules');
    const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    const packages = paths.filter((path) => path.endsWith('package.json'));
    expect(packages.length).toBeGreaterThan(20);
    const unwanted =
      /(^|node_modules\/)(mongoose|mongodb|libsql|@nestjs\/platform-.+|express|socket\.io|openai|@anthropic-ai\/sdk|switchyard)\/package\.json$/;
    expect(packages.filter((path) => unwanted.test(path))).toEqual([]);
  });

  it('type-checks a program, also inside of its own types', () => {
    const file = join(installed.folder, 'program.ts');
    writeFileSync(file, PROGRAM);
    const program = ts.createProgram([file], {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    });
    const found = ts.getPreEmitDiagnostics(program).map(({ file: at, messageText }) => {
      return `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
    expect(found).toEqual([]);
  }, 120_000);

  it('prints its usage, and refuses other words', async () => {
    const help = start([installed.command, '--help']);
    expect(await help.exit).toMatchObject({ code: 0 });
    expect(help.log).toMatch(/^Usage: switchyard-tool-worker[^]*check \[folder\]/);
    const wrong = start([installed.command, 'chekc']);
    expect(await wrong.exit).toMatchObject({ code: 2 });
    expect(wrong.log).toContain('chekc is not a command.');
  });

  it('checks files of tools without any setting, also against what a gateway offers', async () => {
    const check = async (...words: string[]) => {
      const command = [installed.command, 'check', ...words];
      const child = start(command, { RABBITMQ_URL: '', WORKER_GROUP: '' });
      return { ...(await child.exit), text: child.log };
    };
    expect(await check()).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^OK {7}weather\.forecast: 1\.0\.0[^]*^NOTE {5}weather\.forecast: /m),
    });
    expect(await check('tools', '--running', installation.url)).toMatchObject({
      code: 0,
      text: expect.stringContaining('weather.forecast: no worker offers it yet.'),
    });
    const nowhere = await check('none', '--json');
    expect(nowhere.code).toBe(1);
    expect(JSON.parse(nowhere.text)).toMatchObject([
      { level: 'error', text: 'none is not a folder: name the folder of your tools.' },
    ]);
    expect(await check('--running', 'http://127.0.0.1:9')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^No gateway answers at http:\/\/127\.0\.0\.1:9 .* Correct --running\.$/m),
    });
  }, 60_000);

  it('hosts files of tools and MCP servers, answers probes and scrapes, and finishes its calls at SIGTERM', async () => {
    const PORT = String(await findFreePort());
    const worker = start([installed.command], { PORT });
    await Promise.all(['weather.forecast', 'rest.nap', 'everything.echo'].map((tool) => isOffered(tool)));
    const answerAt = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${PORT}${path}`);
      return [response.status, await response.text()] as const;
    };
    const becomesReady = async () => (await answerAt('/health/ready'))[0] === 200;
    await waitFor(becomesReady, { what: 'a worker that is ready' });
    expect(await answerAt('/health/live')).toEqual([200, '{"status":"alive"}']);
    expect(await ask('call weather__forecast with {"city":"Oslo"}')).toMatchObject({
      state: 'succeeded',
      result: 'Oslo: snow, -3 °C',
    });
    expect(await ask('call weather__forecast with {"city":"Atlantis"}')).toMatchObject({
      error: { error_type: 'ResourceNotFound' },
    });
    expect(await ask('call everything__echo with {"message":"hello"}')).toMatchObject({
      state: 'succeeded',
      result: 'Echo: hello',
    });
    const [, metrics] = await answerAt('/metrics');
    const { version } = read('package.json');
    expect(metrics).toContain(`switchyard_info{version="${version}",role="worker"} 1`);
    expect(metrics).toContain('switchyard_mcp_server_up{server="everything"} 1');

    const running = ask('call rest__nap with {"ms":3000}');
    await waitFor(() => ann.events('tool_progress').length > 0, { what: 'a call that runs' });
    process.kill(worker.pid, 'SIGTERM');
    expect(await running).toMatchObject({ state: 'succeeded', result: 'slept' });
    expect(await worker.exit).toEqual({ code: 0, signal: null });
    await isOffered('weather.forecast', false);
  }, 120_000);

  it('checks arguments with a pattern, on a thread of its own', async () => {
    const worker = start([installed.command], { PORT: '0', TOOLSETS: 'rest' });
    await isOffered('rest.wake');
    expect(await ask('call rest__wake with {"who":"ann"}')).toMatchObject({ result: 'ann is awake' });
    expect(await ask('call rest__wake with {"who":"Ann"}')).toMatchObject({
      error: { error_type: 'ValidationError', error_details: { parameter: 'who' } },
    });
    await worker.terminate(20_000);
    await isOffered('rest.wake', false);
  }, 120_000);

  it('runs in a program, as its document shows', async () => {
    const program = start([process.execPath, 'program.mjs']);
    await isOffered('weather.forecast');
    expect(await ask('call weather__forecast with {"city":"Berlin"}')).toMatchObject({
      result: 'Berlin: rain, 12 °C',
    });
    expect(program.log).toMatch(/^worker-lab--\S+ takes calls of weather$/m);
    process.kill(program.pid, 'SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    await isOffered('weather.forecast', false);
  }, 120_000);

  it('does not start with a store, or without its group, and says why', async () => {
    const withStore = start([installed.command], { MONGODB_URL: 'mongodb://localhost/switchyard' });
    expect(await withStore.exit).toMatchObject({ code: 1 });
    expect(withStore.log).toContain('MONGODB_URL is set');
    const alone = start([installed.command], { WORKER_GROUP: '' });
    expect(await alone.exit).toMatchObject({ code: 1 });
    expect(alone.log).toContain('WORKER_GROUP is missing');
    expect(alone.log).toContain('Every name is explained in the README of @switchyard/tool-worker.');
    const CONFIG = join(installed.folder, 'wrong.json');
    writeFileSync(CONFIG, '{ "groups": [{ "name": "two words", "toolsets": ["a"] }] }');
    const wrong = start([installed.command], { CONFIG });
    expect(await wrong.exit).toMatchObject({ code: 1 });
    expect(wrong.log).toContain('(see docs/worker-groups.md of Switchyard)');
  });
});
