import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createToolset,
  stdioServer,
  stopToolsets,
  testServerScript,
} from '../../../libs/mcp/testing/fixture.js';
import { gate } from '../../e2e/scripted-provider.js';
import { waitFor } from '../../services/wait-for.js';
import { artifactsOf, chat, linesOf, statuses } from './artifact-lines.js';
import { DialectSystem } from './dialect-system.js';
import { givingToolsets } from './giving-toolsets.js';
import { playedModel, type Play } from './played-model.js';

/* `chat-artifacts-ndjson` §8, 13 and 14: what MCP servers log, and which servers there are. */

interface Server {
  name: string;
  isRunning: boolean;
  status: string;
  tools: { name: string; description?: string; inputSchema: { type: string } }[];
}

const gates = new Map<string, Promise<void>>();
let system: DialectSystem;
beforeAll(async () => {
  const mcp = createToolset(stdioServer('My Server', [testServerScript('scripted')]));
  // One try is enough to know that it is absent: each takes a process, and a start waits for the first ones.
  const seldom = { firstTryMs: 100, minPauseMs: 600_000, maxPauseMs: 600_000 };
  const absent = createToolset(stdioServer('absent', ['/nonexistent.mjs']), seldom);
  system = await DialectSystem.start({
    model: playedModel(),
    hosts: [...givingToolsets(gates), mcp, absent],
  });
});
afterAll(async () => {
  await system.close();
  await stopToolsets();
});

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(system.url + path)).json()) as T;
}

async function modelName(tool: string): Promise<string> {
  const { tools } = await get<{ tools: { name: string; qualified_name: string }[] }>('/api/tools');
  return tools.find(({ name }) => name === `mcp:My Server:${tool}`)!.qualified_name;
}

describe('13 the log messages of an MCP server during a call', () => {
  const LOGGED = /^\[My Server:[0-9a-f]{8}\] \{"said":"hello.*red"\}$/;

  it('become statuses of its turn, and of no other', async () => {
    const held = gate();
    gates.set('thirteen', held.until);
    const waiting: Play = { steps: [[['x__give', { json: '{}', gate: 'thirteen' }]]] };
    const other = await system.post('/api/chat-artifacts', { message: JSON.stringify(waiting) });
    const talking: Play = { steps: [[[await modelName('talk'), {}]]], say: 'It has talked.' };
    const { lines } = await chat(system, { message: JSON.stringify(talking) });
    held.open();
    expect(statuses(lines).filter((text) => LOGGED.test(text))).toHaveLength(1);
    expect(statuses(linesOf(await other.text())).join()).not.toContain('hello');
    const whole = await chat(system, { message: JSON.stringify(talking) }, '/api/chat');
    expect(statuses(whole.lines)).toContainEqual(
      expect.stringMatching(/^\[TRACE:([0-9a-f]{8})\] \[My Server:\1\] \{"said"/),
    );
  });

  it('are hidden from turns that do not ask for them', async () => {
    const content = JSON.stringify({ steps: [[[await modelName('talk'), {}]]] });
    const turn = await system.fleet.submit(content);
    await system.fleet.event(turn, 'complete');
    expect(system.fleet.of(turn, 'tool_progress')).toEqual([]);
  });
});

it('the structured content and pictures of an MCP server are collected', async () => {
  const { lines } = await chat(system, {
    message: JSON.stringify({ steps: [[[await modelName('cite'), {}]]] }),
  });
  expect(artifactsOf(lines).map(({ type, title, content }) => [type, title, content.slice(0, 26)])).toEqual([
    ['application/vnd.bibliography', 'Bibliography', '[{"pmid":"1","title":"One"'],
    ['image/png', 'Image', 'iVBORw0KGgoAAAANSUhEUgAAAA'],
  ]);
});

describe('14 the lists of servers', () => {
  it('agree, and contain every server and its tools by their exact names', async () => {
    const { serverNames } = await get<{ serverNames: string[] }>('/api/server-names');
    const { servers } = await get<{ servers: Server[] }>('/api/server-status');
    expect(serverNames).toEqual(['My Server', 'absent', 'x', 'y']);
    expect(servers.map(({ name }) => name)).toEqual(serverNames);
    expect(servers.map(({ isRunning, status }) => [isRunning, status])).toEqual([
      [true, 'active'],
      [false, 'inactive'],
      [true, 'active'],
      [true, 'active'],
    ]);
    const weather = servers[0]!.tools.find(({ name }) => name === 'get-weather')!;
    expect(weather).toMatchObject({
      description: 'get-weather',
      inputSchema: { type: 'object', required: ['city'] },
    });
    expect(servers[1]!.tools).toEqual([]);
    expect(servers[3]!.tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('list the available providers, and report that no files are kept', async () => {
    expect(await get('/api/api-keys/status')).toEqual({
      success: true,
      data: { anthropic: false, openai: false, gemini: false, ollama: false },
    });
    expect(await get('/api/storage/files')).toEqual([]);
  });

  it('keep the servers of a worker that is gone, as inactive', async () => {
    await system.drainWorker();
    const servers = await waitFor(
      async () => {
        const now = (await get<{ servers: Server[] }>('/api/server-status')).servers;
        return now.every(({ isRunning }) => !isRunning) && now;
      },
      { what: 'no server runs' },
    );
    expect(servers).toEqual(
      ['My Server', 'absent', 'x', 'y'].map((name) => ({
        name,
        isRunning: false,
        status: 'inactive',
        tools: [],
      })),
    );
    expect((await get<{ serverNames: string[] }>('/api/server-names')).serverNames).toHaveLength(4);
  });
});
