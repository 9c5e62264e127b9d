import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { noFaults } from '#faults';
import { createMetrics } from '#observability';
import { systemTime } from '#time';
import { openPorts } from '#journal/testing';
import { InputSchemas } from '#tools';
import { InPlaceChecks } from '#tools/testing';
import { defineTool, defineToolset } from '../../../libs/tools/define-tool.js';
import { ToolWorker } from '../../../apps/tool-worker/tool-worker.js';
import { withStore } from '../../../apps/tool-worker/with-store.js';
import { inTime, waitFor } from '../../services/wait-for.js';

const echo = defineTool({
  name: 'echo',
  description: 'Echoes.',
  input: z.strictObject({}),
  class: 'read',
  timeoutMs: 1_000,
  run: () => 'echo',
});
const toolset = (name: string) => defineToolset({ name, version: '1.0.0', tools: [echo] });

describe('a tool worker', () => {
  it('takes no more calls from a queue than it runs at once, so that none waits while another worker is idle', async () => {
    const { store, bus, peers, switches, log } = await openPorts('worker-1');
    const taken: [string, number][] = [];
    const worker = new ToolWorker(
      withStore({
        ...systemTime(),
        faultPoint: noFaults,
        store,
        bus,
        processId: 'worker-1',
        peers,
        switches,
        log,
        auditLog: log,
        metrics: createMetrics({ collectDefaults: false }),
        slowChecks: new InPlaceChecks(),
        schemas: new InputSchemas(),
        hosts: [toolset('math'), toolset('slow')],
        overridesFor: (name: string) => (name === 'slow' ? { concurrency: 1 } : {}),
      }),
      async (queue, prefetch) => {
        taken.push([queue, prefetch]);
        return { stop: () => Promise.resolve() };
      },
    );
    await worker.start();
    expect(taken).toEqual([
      ['tools.math', 16],
      ['tools.slow', 1],
    ]);
    await worker.withdraw();
    await worker.close();
  });

  it('takes calls of ready toolsets while another never becomes ready, and announces scope and concurrency of each', async () => {
    const { store, bus, peers, switches, log, recorded } = await openPorts('worker-1');
    const taken: [string, number][] = [];
    let firstTaken = () => undefined as void;
    const consumed = new Promise<void>((resolve) => (firstTaken = resolve));
    const silent = { ...toolset('silent'), tools: () => [], start: () => new Promise<void>(() => undefined) };
    const memory = { ...toolset('memory'), scope: 'user' as const, concurrency: 3 };
    const worker = new ToolWorker(
      withStore({
        ...systemTime(),
        faultPoint: noFaults,
        store,
        bus,
        processId: 'worker-1',
        peers,
        switches,
        log,
        auditLog: log,
        metrics: createMetrics({ collectDefaults: false }),
        slowChecks: new InPlaceChecks(),
        schemas: new InputSchemas(),
        hosts: [silent, memory],
        overridesFor: () => ({}),
      }),
      async (queue, prefetch) => {
        taken.push([queue, prefetch]);
        firstTaken();
        return { stop: () => Promise.resolve() };
      },
    );
    void worker.start();
    await inTime(consumed, { what: 'the first queue being consumed' });
    expect(taken).toEqual([['tools.memory', 3]]);
    const [, offer] = await waitFor(() => recorded.bodies('catalog.announce')[0], { what: 'an offer' });
    expect(offer.toolsets).toMatchObject([{ name: 'memory', scope: 'user' }]);
    await worker.withdraw();
    await worker.close();
  });
});
