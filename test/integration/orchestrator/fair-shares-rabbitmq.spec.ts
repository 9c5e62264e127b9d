import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { describeWithServices } from '../../services/test-services.js';
import { createRabbitmqHarness, type RabbitmqHarness } from '../messaging/rabbitmq-harness.js';
import { FleetHarness, scriptedModel } from './fleet-harness.js';
import { SlowTool } from './slow-tool.js';
import { listenToCounts } from './counted-calls.js';

/** What a worker runs at once. */
const PLACES = 16;
const model = scriptedModel(() => []);
const quarter = { fairShareOf: () => 0.25, turnsAtOnce: 200 };

describeWithServices(['rabbitmq'], 'fair shares on RabbitMQ', () => {
  let broker: RabbitmqHarness;
  let fleet: FleetHarness;
  let slow: SlowTool;
  beforeAll(async () => {
    broker = await createRabbitmqHarness();
    fleet = await FleetHarness.open((identity) => broker.createBus(identity));
    slow = new SlowTool();
  }, 120_000);
  afterAll(async () => {
    slow.endAll();
    await fleet.close();
    await broker.close();
  });

  const submit = (user: string) =>
    fleet.submit('go', { user, options: { call: { tool_name: 'slow.wait', arguments: { user } } } });
  const started = (count: number) =>
    waitFor(() => slow.started.length >= count, { what: `${count} calls started` });
  /** What waits in the tools' queue, by the broker's own word. */
  async function waiting(): Promise<number> {
    const queue = await (await fleet.gateway()).inspect('tools.slow');
    return queue === 'missing' ? 0 : queue.messages;
  }

  it('few calls of one user wait in the queue of two orchestrators: other users are served next, and no call is lost', async () => {
    await fleet.startWorker([slow.host]);
    const both = [
      await fleet.startOrchestrator(model, quarter),
      await fleet.startOrchestrator(model, quarter),
    ];
    const heldBy = async ({ metrics }: (typeof both)[number]) =>
      (await metrics.callsHeld.get()).values.find(({ labels }) => labels.toolset)?.value ?? 0;
    const held = async () => (await Promise.all(both.map(heldBy))).reduce((sum, count) => sum + count, 0);
    // One of them has half of the places or more: the other knows of that before it has calls of its own to send.
    const told = await listenToCounts(await fleet.gateway());
    const greedy = await Promise.all(Array.from({ length: PLACES }, () => submit('greedy')));
    await started(PLACES);
    await waitFor(() => Math.max(0, ...told.values()) >= PLACES / 2, { what: 'counts that were told' });
    greedy.push(...(await Promise.all(Array.from({ length: 24 }, () => submit('greedy')))));
    // The one goes up to a share above all places, the other up to its half of them.
    await waitFor(async () => (await held()) >= 12, { what: 'held calls' });
    expect(await waiting()).toBeLessThanOrEqual(24 - 12);
    const others = await Promise.all(['ann', 'bob', 'eve'].map(submit));
    const isAsked = async () =>
      (await fleet.store.readJournalsOf(others.map(({ _id }) => _id))).every(({ steps }) => steps.length > 0);
    await waitFor(isAsked, { what: 'the calls of the others' });
    for (let ends = 1; ends <= 16; ends++) {
      slow.end();
      await started(PLACES + ends);
    }
    expect(slow.started.filter((user) => user !== 'greedy')).toHaveLength(3);
    slow.endAll();
    for (const turn of [...greedy, ...others]) await fleet.event(turn, 'complete');
    expect(slow.started).toHaveLength(43);
    expect(await held()).toBe(0);
  }, 120_000);
});
