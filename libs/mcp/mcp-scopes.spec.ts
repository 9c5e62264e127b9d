import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { createMetrics } from '#observability';
import { waitFor } from '../../test/services/wait-for.js';
import type { McpToolset } from './mcp-toolset.js';
import {
  createToolset,
  recordingLogger,
  serverScript,
  stdioServer,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
} from './testing/fixture.js';

afterEach(stopToolsets);

const scripted = (overrides = {}) => stdioServer('scripted', [testServerScript('scripted')], overrides);
const processOf = async (toolset: McpToolset, context: Parameters<typeof toolContext>[0]) =>
  plainText(await toolOf(toolset, 'process').run({}, toolContext(context)));

describe('server-sequential-thinking with scope: conversation', () => {
  it('keeps one thread of thoughts for each conversation', async () => {
    const server = stdioServer('thinking', [serverScript('sequential-thinking')], { scope: 'conversation' });
    const toolset = createToolset(server);
    await toolset.start();
    const think = async (conversationId: string, thoughtNumber: number) => {
      const thought = { thought: 'so', nextThoughtNeeded: true, thoughtNumber, totalThoughts: 3 };
      const result = await toolOf(toolset, 'sequentialthinking').run(
        thought,
        toolContext({ conversationId }),
      );
      return (result.data?.structured as { thoughtHistoryLength: number }).thoughtHistoryLength;
    };
    expect(await think('first', 1)).toBe(1);
    expect(await think('second', 1)).toBe(1);
    expect(await think('first', 2)).toBe(2);
    expect(await think('second', 2)).toBe(2);
  });
});

describe('server-memory with scope: user', () => {
  it('keeps the data of one user from another, and for the next process of the first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-mcp-'));
    const env = { MEMORY_FILE_PATH: join(folder, 'memory-${SWITCHYARD_OWNER}.json') };
    const server = stdioServer('memory', [serverScript('memory')], { scope: 'user', env, idleMs: 100 });
    const metrics = createMetrics({ collectDefaults: false });
    const toolset = createToolset(server, {}, recordingLogger(), { metrics });
    await toolset.start();
    const entities = [{ name: 'Secret', entityType: 'thing', observations: ['of ann'] }];
    await toolOf(toolset, 'create_entities').run({ entities }, toolContext({ userId: 'ann' }));
    const read = async (userId: string) =>
      plainText(await toolOf(toolset, 'read_graph').run({}, toolContext({ userId })));
    expect(await read('bob')).not.toContain('Secret');
    // Idle processes end; what the server wrote to its file is there for the next one.
    const open = async () => (await metrics.mcpConnections.get()).values[0]!.value;
    await waitFor(async () => (await open()) <= 1, { what: 'the end of idle processes' });
    expect(await read('ann')).toContain('of ann');
    await rm(folder, { recursive: true });
  });
});

describe('a server with a scope', () => {
  it('has a process for each user, ends the least recently used one for a new one, and fails a call when all are busy', async () => {
    const toolset = createToolset(scripted({ scope: 'user', maxInstances: 2 }));
    await toolset.start();
    expect(toolset.scope).toBe('user');
    const ann = await processOf(toolset, { userId: 'ann' });
    const bob = await processOf(toolset, { userId: 'bob', conversationId: 'x' });
    expect(bob).not.toBe(ann);
    expect(await processOf(toolset, { userId: 'ann', conversationId: 'y' })).toBe(ann);
    await processOf(toolset, { userId: 'eve' });
    expect(await processOf(toolset, { userId: 'ann' })).toBe(ann);

    const stop = new AbortController();
    const wait = toolOf(toolset, 'wait');
    const busy = ['ann', 'eve'].map((userId) =>
      wait.run({ steps: 1, stepMs: 60_000 }, toolContext({ userId, signal: stop.signal })),
    );
    await expect(processOf(toolset, { userId: 'bob' })).rejects.toMatchObject({
      detail: { error_type: 'ApiLimitExceeded', error_details: { retry_after_ms: expect.any(Number) } },
    });
    stop.abort();
    await Promise.allSettled(busy);
    expect(await processOf(toolset, { userId: 'bob' })).not.toBe(bob);
  });

  it('keeps the process of another user when one dies in a call, and starts a new one for the next call', async () => {
    const toolset = createToolset(scripted({ scope: 'user' }));
    await toolset.start();
    const bob = await processOf(toolset, { userId: 'bob' });
    await expect(toolOf(toolset, 'die').run({}, toolContext({ userId: 'ann' }))).rejects.toMatchObject({
      name: 'ToolConnectionLostError',
    });
    expect(await processOf(toolset, { userId: 'bob' })).toBe(bob);
    expect(await processOf(toolset, { userId: 'ann' })).not.toBe(bob);
    expect(toolset.tools().length).toBeGreaterThan(0);
  });

  it('is listed again when the process of one user reports changed tools', async () => {
    const metrics = createMetrics({ collectDefaults: false });
    const server = stdioServer('hostile', [testServerScript('hostile')], { scope: 'user', start: 'demand' });
    const toolset = createToolset(server, {}, recordingLogger(), { metrics });
    await toolset.start();
    await toolOf(toolset, 'change').run({}, toolContext({ userId: 'ann' }));
    // One for the first list, one for her, one for the second list.
    const connects = async () => (await metrics.mcpConnects.get()).values[0]!.value;
    await waitFor(async () => (await connects()) === 3, { what: 'a second listing' });
  });

  it('starts no process for a call after it was stopped', async () => {
    const metrics = createMetrics({ collectDefaults: false });
    const toolset = createToolset(scripted({ scope: 'user' }), {}, recordingLogger(), { metrics });
    await toolset.start();
    const late = toolOf(toolset, 'process');
    await toolset.stop();
    await expect(late.run({}, toolContext({ userId: 'ann' }))).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable' },
    });
    expect((await metrics.mcpConnects.get()).values).toMatchObject([{ value: 1 }]);
  });
});

describe('a server with start: demand', () => {
  it('offers its tools without a process, starts it for calls and ends it when it is idle', async () => {
    const metrics = createMetrics({ collectDefaults: false });
    const server = scripted({ start: 'demand', idleMs: 100, concurrency: 2 });
    const toolset = createToolset(server, {}, recordingLogger(), { metrics });
    await toolset.start();
    const open = async () => (await metrics.mcpConnections.get()).values[0]!.value;
    const untilNone = () => waitFor(async () => (await open()) === 0, { what: 'the end of every process' });
    await untilNone();
    expect(toolset.tools().length).toBeGreaterThan(0);
    // One process for all calls, with at most `concurrency` calls at once.
    const most = toolOf(toolset, 'most-at-once');
    const results = await Promise.all(
      Array.from({ length: 6 }, () => most.run({ holdMs: 20 }, toolContext())),
    );
    expect(results.map(plainText).at(-1)).toBe('2');
    const { values } = await metrics.mcpConnects.get();
    expect(values).toEqual([
      expect.objectContaining({ value: 2, labels: { server: 'scripted', outcome: 'ok' } }),
    ]);
    await untilNone();
    expect(plainText(await toolOf(toolset, 'set').run({}, toolContext()))).toBe('set');
  });
});
