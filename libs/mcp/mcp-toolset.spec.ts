import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { ToolConnectionLostError, toBusName } from '#tools';
import {
  createToolset,
  recordingLogger,
  serverScript,
  stdioServer,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
  untilChanged,
} from './testing/fixture.js';

const scripted = (overrides = {}) => stdioServer('scripted', [testServerScript('scripted')], overrides);

afterEach(stopToolsets);

describe('published servers over stdio', () => {
  it('server-everything: lists its tools under bus names, calls one by its own name', async () => {
    const toolset = createToolset(stdioServer('everything', [serverScript('everything')]));
    await toolset.start();
    const sum = toolOf(toolset, 'get-sum');
    expect(toBusName(toolset.server, sum.definition.own_name)).toMatch(/^everything\.get_sum_[0-9a-f]{12}$/);
    expect(plainText(await sum.run({ a: 2, b: 3 }, toolContext()))).toContain('5');
    const image = await toolOf(toolset, 'get-tiny-image').run({}, toolContext());
    expect(plainText(image)).toMatch(/\[image image\/png, .+, artifact \S+\]/);
    const structured = await toolOf(toolset, 'get-structured-content').run(
      { location: 'Chicago' },
      toolContext(),
    );
    expect(structured.data).toMatchObject({ structured: { temperature: expect.any(Number) } });
  });

  it('server-filesystem: reads a file, and its refusal becomes a failure with its text', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-mcp-')));
    await writeFile(join(folder, 'note.txt'), 'hello from a file');
    const toolset = createToolset(stdioServer('filesystem', [serverScript('filesystem'), folder]));
    await toolset.start();
    const read = toolOf(toolset, 'read_text_file');
    expect(plainText(await read.run({ path: join(folder, 'note.txt') }, toolContext()))).toBe(
      'hello from a file',
    );
    const refused = await read.run({ path: '/etc/passwd' }, toolContext());
    expect(refused).toMatchObject({
      status: 'failure',
      error: { error_message: expect.stringContaining('denied') },
    });
    await rm(folder, { recursive: true });
  });

  it('server-memory: remembers entities, with the environment from the configuration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-mcp-'));
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
    const toolset = createToolset(stdioServer('memory', [serverScript('memory')], { env }));
    await toolset.start();
    const entities = [{ name: 'Switchyard', entityType: 'project', observations: ['has tools'] }];
    await toolOf(toolset, 'create_entities').run({ entities }, toolContext());
    const found = await toolOf(toolset, 'search_nodes').run({ query: 'Switchyard' }, toolContext());
    expect(plainText(found)).toContain('has tools');
    await rm(folder, { recursive: true });
  });
});

describe('McpToolset', () => {
  it('knows the server’s version and its tools’ classes, and uses annotations of trusted servers only', async () => {
    const [plain, trusted, configured] = [
      createToolset(scripted()),
      createToolset(scripted({ trusted: true })),
      createToolset(scripted({ trusted: true, class: 'keyed' })),
    ];
    await Promise.all([plain.start(), trusted.start(), configured.start()]);
    const classes = (toolset: typeof plain) =>
      ['get-weather', 'set', 'fail'].map((name) => toolOf(toolset, name).definition.class);
    expect(plain.version).toBe('3.2.1');
    expect(classes(plain)).toEqual(['once', 'once', 'once']);
    expect(classes(trusted)).toEqual(['read', 'idempotent', 'once']);
    expect(classes(configured)).toEqual(['keyed', 'keyed', 'keyed']);
  });

  it('gives the server a minimal environment and the configured variables', async () => {
    process.env.SWITCHYARD_TEST_SECRET = 'not for servers';
    const toolset = createToolset(scripted({ env: { GIVEN: 'yes' } }));
    await toolset.start();
    delete process.env.SWITCHYARD_TEST_SECRET;
    const env = JSON.parse(plainText(await toolOf(toolset, 'environment').run({}, toolContext()))) as object;
    expect(env).toMatchObject({ GIVEN: 'yes', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('SWITCHYARD_TEST_SECRET');
  });

  it('sends the server the call’s id and attempt', async () => {
    const toolset = createToolset(scripted());
    await toolset.start();
    const told = await toolOf(toolset, 'meta').run({}, toolContext({ attempt: 2 }));
    expect(JSON.parse(plainText(told))).toMatchObject({
      'switchyard/tool_call_id': 'call_0123456789abcdefghijkl',
      'switchyard/attempt': 2,
    });
  });

  it('makes a tool’s error a failure, and logs the server’s stderr line by line', async () => {
    const logger = recordingLogger();
    const toolset = createToolset(scripted(), {}, logger);
    await toolset.start();
    expect(await toolOf(toolset, 'fail').run({}, toolContext())).toMatchObject({
      status: 'failure',
      error: { error_type: 'ToolExecutionError', error_message: 'it rains' },
    });
    await toolOf(toolset, 'complain').run({}, toolContext());
    await toolset.stop();
    const lines = logger.lines
      .filter(({ fields }) => fields.server === 'scripted')
      .map(({ message }) => message);
    expect(lines).toEqual(expect.arrayContaining(['first red', 'second line']));
  });

  it('sends progress to viewers', async () => {
    const toolset = createToolset(scripted());
    await toolset.start();
    const seen: unknown[] = [];
    let lettingGo: Promise<unknown> | undefined;
    // The server answers only now: the SDK drops progress that it reads together with the answer.
    const progress = (...reported: unknown[]) => {
      seen.push(reported);
      lettingGo = toolOf(toolset, 'let-go').run({}, toolContext());
    };
    const result = await toolOf(toolset, 'hold').run({}, toolContext({ progress }));
    await lettingGo;
    expect(plainText(result)).toBe('let go');
    expect(seen).toEqual([[1, 4, 'step 1']]);
  });

  it.each([
    ['if they ask for them, when nothing is configured', {}, true, 1],
    ['not if they do not ask, when nothing is configured', {}, false, 0],
    ['not if they are configured for operators', { logs: 'operators' as const }, true, 0],
  ])('shows the server’s log messages to viewers: %s', async (_who, config, wantsLogs, count) => {
    const toolset = createToolset(scripted(config), {}, recordingLogger());
    await toolset.start();
    const seen: unknown[] = [];
    const context = toolContext({ wantsLogs, progress: (...reported) => void seen.push(reported) });
    await toolOf(toolset, 'talk').run({}, context);
    await toolset.stop();
    expect(seen).toHaveLength(count);
  });

  it('shows log messages configured for viewers to them and to operators, if their turn is certain', async () => {
    const logger = recordingLogger();
    const toolset = createToolset(scripted({ logs: 'viewers' }), {}, logger);
    await toolset.start();
    const seen: unknown[] = [];
    const context = toolContext({ progress: (...reported) => void seen.push(reported) });
    await toolOf(toolset, 'talk').run({}, context);
    const origin = { level: 'warning', logger: 'scripted' };
    expect(seen).toEqual([[0, undefined, expect.stringContaining('hello'), origin]]);
    expect(logger.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('hello'));
    // A message does not name its call: with calls of two turns at once, no viewer sees it.
    await Promise.all([
      toolOf(toolset, 'wait').run({ steps: 1, stepMs: 1000 }, toolContext({ turnId: 'turn-2' })),
      toolOf(toolset, 'talk').run({}, context),
    ]);
    expect(seen).toHaveLength(1);
    await Promise.all([
      toolOf(toolset, 'wait').run({ steps: 1, stepMs: 1000 }, context),
      toolOf(toolset, 'talk').run({}, context),
    ]);
    expect(seen.slice(1)).toContainEqual([0, undefined, expect.stringContaining('hello'), origin]);
  });

  it('cancels the call on the server when it is stopped', async () => {
    const logger = recordingLogger();
    const toolset = createToolset(scripted(), {}, logger);
    await toolset.start();
    const controller = new AbortController();
    const context = toolContext({ signal: controller.signal, progress: () => controller.abort() });
    await expect(toolOf(toolset, 'wait').run({ steps: 100, stepMs: 50 }, context)).rejects.toMatchObject({
      detail: { error_type: 'Cancelled' },
    });
    await toolOf(toolset, 'complain').run({}, toolContext());
    await toolset.stop();
    expect(logger.lines.map(({ message }) => message)).toContain('cancelled');
  });

  it('lists again when the server reports changed tools', async () => {
    const toolset = createToolset(scripted());
    await toolset.start();
    const names = () => toolset.tools().map(({ definition }) => definition.own_name);
    const grown = untilChanged(toolset, () => names().includes('grown'));
    await toolOf(toolset, 'grow').run({}, toolContext());
    await grown;
    expect(plainText(await toolOf(toolset, 'grown').run({}, toolContext()))).toBe('grown');
  });

  it('fails a call as lost when the server dies, withdraws its tools, reconnects, and affects no other server', async () => {
    const [dying, other] = [createToolset(scripted()), createToolset(scripted())];
    await Promise.all([dying.start(), other.start()]);
    const weather = toolOf(dying, 'get-weather');
    const gone = untilChanged(dying, () => dying.tools().length === 0);
    await expect(toolOf(dying, 'die').run({}, toolContext())).rejects.toBeInstanceOf(ToolConnectionLostError);
    await gone;
    await expect(weather.run({ city: 'Bonn' }, toolContext())).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable' },
    });
    expect(plainText(await toolOf(other, 'get-weather').run({ city: 'Bonn' }, toolContext()))).toBe(
      'get-weather Bonn',
    );
    await untilChanged(dying, () => dying.tools().length > 0);
    expect(plainText(await weather.run({ city: 'Ulm' }, toolContext()))).toBe('get-weather Ulm');
  });

  it('that never gets an answer delays no other server’s start, and stops', async () => {
    const silent = createToolset(stdioServer('silent', [testServerScript('silent')]), { firstTryMs: 100 });
    const other = createToolset(scripted());
    await Promise.all([silent.start(), other.start()]);
    expect(silent.tools()).toEqual([]);
    expect(other.tools().length).toBeGreaterThan(0);
    await silent.stop();
  });

  it('logs a warning when its server cannot be started, and offers no tools', async () => {
    const logger = recordingLogger();
    const toolset = createToolset(stdioServer('missing', [], { command: '/no/such/command' }), {}, logger);
    await toolset.start();
    expect(logger.lines[0]).toMatchObject({
      level: 'warn',
      fields: { server: 'missing' },
      message: 'MCP server not connected',
    });
    expect(toolset.tools()).toEqual([]);
  });
});
