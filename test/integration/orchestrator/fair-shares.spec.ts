import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { systemTime } from '#time';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel } from './fleet-harness.js';
import { SlowTool } from './slow-tool.js';
import { listenToCounts } from './counted-calls.js';

let fleet: FleetHarness;
let slow: SlowTool;
beforeEach(async () => {
  fleet = await FleetHarness.open();
  slow = new SlowTool();
});
afterEach(async () => {
  slow.endAll();
  await fleet.close();
});

const model = scriptedModel(() => []);
const quarter = { fairShareOf: () => 0.25, turnsAtOnce: 200 };

function submit(user: string, count: number): Promise<Turn[]> {
  const options = { call: { tool_name: 'slow.wait', arguments: { user } } };
  return Promise.all(Array.from({ length: count }, () => fleet.submit('go', { user, options })));
}

const isHeld = (orchestrator: Awaited<ReturnType<FleetHarness['startOrchestrator']>>) =>
  orchestrator.metrics.callsHeld
    .get()
    .then(({ values }) => values.find(({ labels }) => labels.toolset)?.value);

async function started(count: number): Promise<void> {
  await waitFor(() => slow.started.length >= count, { what: `${count} calls started` });
}

async function openCallsOf(turns: Turn[]) {
  const journals = await fleet.store.readJournalsOf(turns.map(({ _id }) => _id));
  return journals.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls));
}

describe('a user whose calls fill a toolset', () => {
  it('keeps few of them in its queue: ten other users are served next, then his continue', async () => {
    await fleet.startWorker([slow.host]);
    const orchestrator = await fleet.startOrchestrator(model, quarter);
    const greedy = await submit('greedy', 40);
    await started(16);
    await waitFor(async () => (await isHeld(orchestrator)) === 20, { what: 'twenty held calls' });
    const others = (await Promise.all(Array.from({ length: 10 }, (_, n) => submit(`user${n}`, 1)))).flat();
    await waitFor(async () => (await openCallsOf(others)).length === 10, { what: 'the calls of the others' });
    for (let ends = 1; ends <= 14; ends++) {
      slow.end();
      await started(16 + ends);
    }
    expect(slow.started.slice(20, 30).filter((user) => user !== 'greedy')).toHaveLength(10);
    slow.endAll();
    for (const turn of [...greedy, ...others]) await fleet.event(turn, 'complete');
    expect(slow.started).toHaveLength(50);
    expect(await isHeld(orchestrator)).toBe(0);
  });

  it('has every place while he is alone, and the next call starts as one ends', async () => {
    await fleet.startWorker([slow.host]);
    await fleet.startOrchestrator(model, quarter);
    const turns = await submit('greedy', 30);
    await started(16);
    for (let ends = 1; ends <= 14; ends++) {
      slow.end();
      await started(16 + ends);
      expect(slow.runningCount).toBe(16);
    }
    slow.endAll();
    for (const turn of turns) await fleet.event(turn, 'complete');
  });

  it('is one user although several orchestrators drive his turns', async () => {
    await fleet.startWorker([slow.host]);
    const both = [
      await fleet.startOrchestrator(model, quarter),
      await fleet.startOrchestrator(model, quarter),
    ];
    // One of them has half of the places or more: the other knows of that before it has calls of its own to send.
    const told = await listenToCounts(await fleet.gateway());
    await submit('greedy', 16);
    await started(16);
    await waitFor(() => Math.max(0, ...told.values()) >= 8, { what: 'counts that were told' });
    await submit('greedy', 44);
    const held = async () =>
      (await Promise.all(both.map(isHeld))).reduce((sum, count) => sum! + (count ?? 0), 0);
    await waitFor(async () => (await held())! >= 30, { what: 'held calls at both' });
    const others = (await Promise.all(Array.from({ length: 4 }, (_, n) => submit(`user${n}`, 1)))).flat();
    await waitFor(async () => (await openCallsOf(others)).length === 4, { what: 'the calls of the others' });
    for (let ends = 1; ends <= 34; ends++) {
      slow.end();
      await started(16 + ends);
    }
    expect(slow.started.filter((user) => user !== 'greedy')).toHaveLength(4);
    slow.endAll();
  });

  it('can stop a turn with a held call: the call never starts, and the others continue', async () => {
    await fleet.startWorker([slow.host]);
    const orchestrator = await fleet.startOrchestrator(model, quarter);
    const turns = await submit('greedy', 24);
    await waitFor(async () => (await isHeld(orchestrator)) === 4, { what: 'four held calls' });
    await started(16);
    const stopped: Turn[] = [];
    for (const turn of turns) {
      const { _id: turn_id } = turn;
      const journal = (await fleet.store.readJournal(turn_id))!;
      if (journal.claims.length > 1) continue;
      const stop = { turn_id, request_id: 'r', reply_to: 'gateway.9' };
      await orchestrator.bus.send('orchestrator.1', newMessage(systemTime(), 'turn.stop', stop));
      await fleet.event(turn, 'cancelled');
      stopped.push(turn);
    }
    expect(stopped).toHaveLength(8);
    expect(await isHeld(orchestrator)).toBe(0);
    slow.endAll();
    for (const turn of turns.filter((one) => !stopped.includes(one))) await fleet.event(turn, 'complete');
    expect(slow.started).toHaveLength(16);
  });

  it('loses no call when the orchestrator that held it dies', async () => {
    await fleet.startWorker([slow.host]);
    const first = await fleet.startOrchestrator(model, quarter);
    const turns = await submit('greedy', 24);
    await waitFor(async () => (await isHeld(first)) === 4, { what: 'four held calls' });
    fleet.declareDead('orchestrator-1');
    await first.bus.close();
    await fleet.startOrchestrator(model, quarter);
    slow.endAll();
    for (const turn of turns) await fleet.event(turn, 'complete');
    expect(slow.started).toHaveLength(24);
  });
});

it('turns without a hint are driven, one per user in turn, without waiting for a round each', async () => {
  await fleet.startWorker([slow.host]);
  slow.endAll();
  const turns = [];
  for (const user of ['greedy', 'ann'])
    for (let n = 0; n < (user === 'greedy' ? 30 : 1); n++)
      turns.push(
        await fleet.insert('go', {
          user,
          options: { call: { tool_name: 'slow.wait', arguments: { user } } },
        }),
      );
  await fleet.startOrchestrator(model, { ...quarter, fairShare: 0.25, turnsAtOnce: 4 });
  for (const turn of turns) await fleet.event(turn, 'complete');
  expect(slow.started.indexOf('ann')).toBeLessThan(6);
});

it('calls are not counted per user without accounts', async () => {
  await fleet.startWorker([slow.host]);
  const orchestrator = await fleet.startOrchestrator(model, quarter);
  const turns = await submit('local', 40);
  await started(16);
  await waitFor(async () => (await openCallsOf(turns)).length === 40, { what: 'all calls' });
  expect((await isHeld(orchestrator)) ?? 0).toBe(0);
  slow.endAll();
  for (const turn of turns) await fleet.event(turn, 'complete');
});
