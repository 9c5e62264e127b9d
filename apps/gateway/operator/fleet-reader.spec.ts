import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { FleetReader } from './fleet-reader.js';

const offer = { source: 'mcp' as const, classes: ['read' as const], drift: ['web.search'] };

function readerOf(inspect: (queue: string) => Promise<{ consumers: number; messages: number } | 'missing'>) {
  const clock = new VirtualClock(new SeededRandom(1));
  let reads = 0;
  const load = { toolsets: { web: { running: 2, slots: 4, per_second: 0.5 } } };
  const row = { role: 'worker' as const, host: 'here', beat: 1, load };
  const listProcesses = async () => {
    reads++;
    return [
      { ...row, _id: 'worker-1' },
      { ...row, _id: 'worker-2', load: { ...load, draining: true } },
      { ...row, _id: 'worker-dead' },
    ];
  };
  const reader = new FleetReader({
    clock,
    store: { listProcesses },
    bus: { inspect },
    peers: { isDead: async (id) => id === 'worker-dead' },
    switches: {
      all: ['web.search', 'web.fetch', 'website.read'].map((name) => {
        return { _id: `tool:${name}`, kind: 'tool' as const, name, by: 'quarantine', at: '' };
      }),
      pauseOf: (toolName) => {
        const row = { _id: '', by: 'olga', at: '', name: '' };
        return toolName === 'math.' ? { ...row, kind: 'toolset' } : undefined;
      },
    },
    offered: {
      listToolsets: () => ['math'],
      workersOf: (name) => (name === 'web' ? 2 : 0),
      describe: (name) => (name === 'web' ? offer : undefined),
    },
  });
  return { clock, reader, reads: () => reads };
}

it('adds up what living workers tell of a toolset, and how long its queue takes', async () => {
  const { reader } = readerOf(async (queue) =>
    queue === 'tools.web' ? { consumers: 2, messages: 41 } : 'missing',
  );
  const { toolsets, queues, processes } = await reader.read();
  expect(toolsets).toEqual([
    { name: 'math', calls: 0, workers: 0, running: 0, slots: 0, per_second: 0, draining: 0, is_paused: true },
    {
      name: 'web',
      calls: 41,
      workers: 2,
      running: 4,
      slots: 8,
      per_second: 1,
      estimate_ms: 41_000,
      draining: 1,
      is_paused: false,
      blocked_tools: ['web.fetch', 'web.search'],
      ...offer,
    },
  ]);
  expect(queues).toEqual({ turns: 0, results: 0, dead_letters: 0 });
  expect(processes.map(({ id, is_alive }) => [id, is_alive])).toEqual([
    ['worker-1', true],
    ['worker-2', true],
    ['worker-dead', false],
  ]);
});

it('answers without the lengths of queues while the broker says nothing', async () => {
  const { reader } = readerOf(() => Promise.reject(new Error('down')));
  const { toolsets, queues } = await reader.read();
  expect(toolsets[1]).toMatchObject({
    name: 'web',
    workers: 2,
    running: 4,
    slots: 8,
    per_second: 1,
    ...offer,
  });
  expect(toolsets[1]).not.toHaveProperty('calls');
  expect(queues).toEqual({});
});

it('waits at most 1 s for a broker that is stalled', async () => {
  const { reader, clock } = readerOf(() => new Promise(() => undefined));
  const read = reader.read();
  await clock.advance(1_000);
  expect((await read).queues).toEqual({});
});

it('reads once a second, however many ask', async () => {
  let inspections = 0;
  const { reader, clock, reads } = readerOf(async () => {
    inspections++;
    return { consumers: 0, messages: 0 };
  });
  await Promise.all([reader.read(), reader.read(), reader.listProcesses()]);
  expect([reads(), inspections]).toEqual([1, 5]);
  await clock.advance(999);
  await reader.read();
  expect(reads()).toBe(1);
  await clock.advance(1);
  await reader.read();
  expect([reads(), inspections]).toEqual([2, 10]);
});
