import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { callsOf, endsOf, statusAndText } from './models-chat.js';
import { gate, ScriptedProvider } from './scripted-provider.js';
import { newFolder, removeFolders, startStandalone, writeSettings } from './standalone-process.js';
import { Viewer } from './viewer.js';

const mcpServer = fileURLToPath(new URL('../../libs/mcp/testing/scripted-server.mjs', import.meta.url));

/** Of the page before anything is said, whatever its browser decodes. */
const MAX_FIRST_LOAD_BYTES = 120_000;

/** The bytes of a body as they are sent. */
async function sizeOf(url: string, encoding: string): Promise<number> {
  const [answer] = (await once(get(url, { headers: { 'accept-encoding': encoding } }), 'response')) as [
    IncomingMessage,
  ];
  expect([url, answer.statusCode, answer.headers['content-encoding']]).toEqual([url, 200, encoding]);
  return (await buffer(answer)).length;
}

describe('npm start', () => {
  let standalone: SwitchyardProcess;
  let viewer: Viewer;
  let DATA_DIR: string;

  beforeAll(async () => {
    DATA_DIR = await newFolder();
    standalone = await startStandalone({ DATA_DIR });
    viewer = await Viewer.connect(standalone.url);
  }, 60_000);
  afterAll(async () => {
    viewer.close();
    await standalone.kill('SIGTERM');
    await removeFolders();
  });

  test('prints what runs, where the page is, who has access, which model and tools are on, where the data is', async () => {
    await waitFor(() => standalone.log.includes('Stop'), { what: 'the banner' });
    const lines = standalone.log.split('\n').filter((line) => line.trim() !== '');
    expect(lines[0]).toBe('  Switchyard: gateway, orchestrator and tool worker in one process');
    expect(lines[1]).toBe(`  Page    http://localhost:${standalone.port}`);
    expect(lines[2]).toBe('  Login   not required (AUTH=none)');
    expect(lines[3]).toMatch(/^ {2}Model {3}demo \(.*MODEL=anthropic\/.* ANTHROPIC_API_KEY\)$/);
    expect(lines[4]).toBe(
      '  Tools   math (2), knowledge (1), web (1), http (1), time (1), memory (3), artifacts (2)',
    );
    expect(lines[5]).toBe(`  Data    ${DATA_DIR}`);
    expect(lines).toHaveLength(7);
  });

  test('serves the page with a strict policy, and its assets', async () => {
    const page = await fetch(`${standalone.url}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain(
      "default-src 'self';img-src 'self' data: blob:",
    );
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
    expect(assets.length).toBeGreaterThan(1);
    for (const [, path] of assets) {
      const { status, headers } = await fetch(standalone.url + path!);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    for (const encoding of ['gzip', 'br']) {
      const paths = ['/', ...assets.map(([, path]) => path!)];
      const sizes = await Promise.all(paths.map((path) => sizeOf(standalone.url + path, encoding)));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
    }
  });

  test('answers "what is 17 + 25?" with a tool call', async () => {
    const { conversation_id, turn_id } = await viewer.send('what is 17 + 25?');
    const turn = await viewer.ended(conversation_id, turn_id);
    expect(endsOf(turn)).toEqual([['succeeded', '42']]);
    expect(callsOf(turn)[0]).toMatchObject({ display_name: 'add', args: { a: 17, b: 25 } });
    expect(turn.steps.at(-1)!.text).toContain('42');
    expect(viewer.events('complete').at(-1)!.content).toBe(turn.steps.at(-1)!.text);
  });

  test('is refused for a folder that another process uses, in one sentence', async () => {
    const second = await startStandalone({ DATA_DIR }, { waitUntilReady: false });
    expect((await second.exit).code).toBe(1);
    expect(second.log.trim()).toBe(
      `The standalone cannot start: The folder ${DATA_DIR} is in use by another Switchyard process: stop that process or choose another DATA_DIR.`,
    );
    expect((await fetch(`${standalone.url}/health/ready`)).status).toBe(200);
  });

  test('ends on SIGTERM, and shows the same conversation when started again', async () => {
    const { conversation_id, turn_id } = await viewer.send('what is 3 * 4?');
    await viewer.ended(conversation_id, turn_id);
    const before = viewer.view(conversation_id);
    expect(await standalone.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    viewer.close();
    standalone = await startStandalone({ DATA_DIR });
    viewer = await Viewer.connect(standalone.url);
    await viewer.request('join', { conversation_id });
    await waitFor(() => viewer.view(conversation_id).turns.length > 0, { what: 'the snapshot' });
    expect(viewer.view(conversation_id)).toEqual(before);
    const next = await viewer.send('what is 5 + 6?', { conversation_id });
    expect(endsOf(await viewer.ended(conversation_id, next.turn_id))).toEqual([['succeeded', '11']]);
    expect(viewer.view(conversation_id).turns.map((turn) => turn.number)).toEqual([1, 2]);
  });
});

describe('a process that is killed in the middle of a turn and started again', () => {
  let provider: ScriptedProvider;
  let env: Record<string, string>;
  let standalone: SwitchyardProcess;
  let viewer: Viewer;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    const mcpServers = { helper: { command: process.execPath, args: [mcpServer] } };
    const MCP_CONFIG = await writeSettings('mcp.json', { mcpServers });
    const CONFIG = await writeSettings('switchyard.json', { drain: { grace_ms: 300 } });
    env = { ...provider.env, MCP_CONFIG, CONFIG, DATA_DIR: await newFolder() };
    standalone = await startStandalone(env);
    viewer = await Viewer.connect(standalone.url);
  }, 60_000);
  afterAll(async () => {
    viewer.close();
    await standalone.kill('SIGTERM');
    await provider.close();
    await removeFolders();
  });
  afterEach(() => {
    expect(provider.violations).toEqual([]);
    expect(provider.unused).toBe(0);
  });

  async function restart(signal: NodeJS.Signals, conversation_id: string): Promise<void> {
    await standalone.kill(signal);
    viewer.close();
    standalone = await startStandalone(env);
    viewer = await Viewer.connect(standalone.url);
    await viewer.request('join', { conversation_id });
  }

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'while the model responds (%s): the turn continues by itself, and its text is complete',
    async (signal) => {
      const { until } = gate();
      provider.answer(
        {
          content: [
            { type: 'text', chunks: ['Once upon ', 'a'] },
            { type: 'hold', until },
          ],
        },
        say('Once upon ', 'a time.'),
      );
      const { conversation_id, turn_id } = await viewer.send('tell');
      const text = () => viewer.turn(conversation_id, turn_id)?.steps[0]?.text;
      await waitFor(() => text() === 'Once upon a', { what: 'the first words' });
      const queued = await viewer.send('and then?', { conversation_id });
      provider.answer(say('The end.'));
      await restart(signal, conversation_id);
      const turn = await viewer.ended(conversation_id, turn_id);
      expect(statusAndText(turn)).toEqual(['completed', 'Once upon a time.']);
      const next = await viewer.ended(conversation_id, queued.turn_id);
      expect(statusAndText(next)).toEqual(['completed', 'The end.']);
      expect(provider.lastMessages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    },
    40_000,
  );

  test('while a non-repeatable tool runs: the call ends as unknown, and the turn continues', async () => {
    const isOffered = async () =>
      (await (await fetch(`${standalone.url}/api/tools`)).text()).includes('helper.wait');
    await waitFor(isOffered, { what: 'the tools of the MCP server', timeoutMs: 20_000 });
    provider.answer(
      useTools(
        ['toolu_1', 'helper__wait', { steps: 300, stepMs: 100 }],
        ['toolu_2', 'math__add', { a: 1, b: 1 }],
      ),
      say('Nobody knows.'),
    );
    const { conversation_id, turn_id } = await viewer.send('wait');
    await waitFor(() => viewer.events('tool_progress').length > 0, { what: 'the tool at work' });
    await restart('SIGKILL', conversation_id);
    const turn = await viewer.ended(conversation_id, turn_id);
    expect(statusAndText(turn)).toEqual(['completed', 'Nobody knows.']);
    expect(endsOf(turn)).toEqual([
      ['unknown', 'OutcomeUnknown'],
      ['succeeded', '2'],
    ]);
  });
});
