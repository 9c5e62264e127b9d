import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool, defineToolset, type ToolsetHost } from '#tools';
import { describeWithServices } from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';
import { WorkerHarness } from './worker-harness.js';

let harness: WorkerHarness;
beforeEach(async () => {
  harness = await WorkerHarness.open();
}, 90_000);
afterEach(() => harness.close());

function toolset(name: string, run: () => unknown): ToolsetHost {
  const go = defineTool({
    name: 'go',
    description: 'goes',
    input: z.strictObject({ text: z.string().optional() }),
    class: 'once',
    timeoutMs: 60_000,
    run: async () => String(await run()),
  });
  return defineToolset({ name, version: '2.3.4', tools: [go] });
}

describeWithServices(['rabbitmq'], 'a worker with several toolsets', () => {
  it('a worker runs the calls of one toolset while another is stuck with a long queue', async () => {
    let release = (): void => undefined;
    let started = 0;
    const stuck = new Promise<string>((resolve) => (release = () => resolve('late')));
    const blocked = toolset('blocked', () => (started++, stuck));
    await harness.startWorker([blocked, toolset('quick', () => 'at once')], { blocked: { concurrency: 2 } });
    const waiting = await Promise.all(Array.from({ length: 40 }, () => harness.send('blocked.go')));
    await waitFor(() => started === 2, { what: 'the blocked toolset is full' });
    const calls = await Promise.all(Array.from({ length: 40 }, () => harness.send('quick.go')));
    const outcomes = await Promise.all(calls.map((call) => harness.outcome(call)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(40).fill('success'));
    // All of them while none of the others could end.
    expect(started).toBe(2);
    expect(await harness.store.getOutcome(waiting[0]!)).toBeNull();
    release();
    const late = await Promise.all(waiting.map((call) => harness.outcome(call)));
    expect(late.map(({ data }) => data)).toEqual(Array(40).fill({ text: 'late' }));
  });
});

describeWithServices(['rabbitmq'], 'a rate', () => {
  it('a rate limit of three lets three calls run; the fourth ends as ApiLimitExceeded with the time to retry', async () => {
    let runs = 0;
    const { metrics } = await harness.startWorker([toolset('web', () => ++runs)], {
      'web.go': { rate: { calls: 3, perMs: 3_600_000 } },
    });
    const outcomes = [];
    for (let sent = 0; sent < 4; sent++) outcomes.push(await harness.outcome(await harness.send('web.go')));
    expect(outcomes.map(({ error }) => error?.error_type)).toEqual([
      undefined,
      undefined,
      undefined,
      'ApiLimitExceeded',
    ]);
    const { error, attempt } = outcomes[3]!;
    expect(attempt).toBe(0);
    const { retry_after_ms, started } = error!.error_details as { retry_after_ms: number; started: boolean };
    expect(started).toBe(false);
    expect(retry_after_ms).toBeGreaterThan(0);
    expect(retry_after_ms).toBeLessThanOrEqual(1_200_000);
    expect(runs).toBe(3);
    const [claim] = await harness.store.listClaims(outcomes[3]!._id);
    expect(claim).toMatchObject({
      purpose: 'settle',
      decides: { error: { error_type: 'ApiLimitExceeded' } },
    });
    // Counted once the driver has been told.
    const refusals = await waitFor(
      async () => {
        const { values } = await metrics.toolRateRefusals.get();
        return values.length > 0 && values;
      },
      { what: 'the refusal is counted' },
    );
    expect(refusals).toMatchObject([{ value: 1, labels: { toolset: 'web' } }]);
  });

  it('a rate limit is divided by the workers of the toolset, and again when one leaves', async () => {
    const rate = { calls: 6, perMs: 3_600_000 };
    const first = await harness.startWorker([toolset('web', () => 'done')], { web: { rate } });
    const second = await harness.startWorker([toolset('web', () => 'done')], { web: { rate } });
    const sizes = () => [first, second].map(({ running }) => running.worker.fleet.workersOf('web'));
    await waitFor(() => sizes().every((size) => size === 2), { what: 'they know each other' });
    const calls = await Promise.all(Array.from({ length: 20 }, () => harness.send('web.go')));
    const outcomes = await Promise.all(calls.map((call) => harness.outcome(call)));
    const ran = outcomes.filter(({ status }) => status === 'success');
    for (const { processId } of [first, second])
      expect(ran.filter(({ worker }) => worker === processId).length).toBeLessThanOrEqual(3);
    await second.running.drain(0);
    await waitFor(() => first.running.worker.fleet.workersOf('web') === 1, { what: 'one has left' });
  });

  it('a rate limit does not end a call that another worker is running', async () => {
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => (release = () => resolve('done')));
    await harness.startWorker([toolset('web', () => held)]);
    const call = await harness.send('web.go');
    await waitFor(async () => (await harness.store.listClaims(call)).length > 0, { what: 'the claim' });
    // The second copy comes to a worker that may start nothing.
    await harness.startWorker([toolset('spent', () => 'never'), toolset('web', () => 'twice')], {
      web: { rate: { calls: 1, perMs: 3_600_000 } },
    });
    for (let copies = 0; copies < 6; copies++) await harness.send('web.go', { tool_call_id: call });
    await waitFor(
      async () => {
        const queue = await harness.bus.inspect('tools.web');
        return queue !== 'missing' && queue.messages === 0;
      },
      { what: 'the copies are taken' },
    );
    release();
    expect(await harness.outcome(call)).toMatchObject({
      status: 'success',
      data: { text: 'done' },
      attempt: 1,
    });
    expect(await harness.store.listClaims(call)).toHaveLength(1);
  });
});
