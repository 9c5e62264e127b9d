import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Step } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import {
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  openPorts,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from '#journal/testing';
import { createSweeper, type SweeperParts } from './create-sweeper.js';
import { TurnHints } from './turn-hints.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: VirtualClock;
let ports: TestPorts;
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('orchestrator-1', { clock, random });
});
afterEach(() => ports.store.close());

const settings = { retentionDays: undefined, deadLetterDays: 30, usage: { budget: {}, keepDays: 90 } };

const sweep = (parts: Partial<SweeperParts> = {}) =>
  createSweeper(ports, {
    settings,
    peers: { listUnchangedFor: () => [] },
    wake: () => false,
    hints: new TurnHints(ports, { share: 1, turnsAtOnce: 0, driven: () => 0 }),
    ...parts,
  }).sweep();

const daysAgo = (days: number) => new Date(clock.wall() - days * DAY_MS).toISOString();

describe('a stopped turn', () => {
  it('stays due until each of its calls has an outcome', async () => {
    const stop: Partial<Step> = { kind: 'cancel', stop_reason: null, usage: null };
    await ports.store.insertTurn({ ...turnRow(), status: 'cancelled', due_at: clock.wall() });
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.claim(claimRow(callId(1), 'worker-1'));
    await ports.store.commitStep(stepRow(2, stop));
    const look = async () => {
      await sweep();
      const outcome = await ports.store.getOutcome(callId(1));
      return [outcome?.status, (await ports.store.getTurn(TURN_ID))!.due_at];
    };
    expect(await look()).toEqual([undefined, clock.wall() + 5_000]);
    await clock.advance(5_000);
    ports.dead.add('worker-1');
    expect(await look()).toEqual(['failure', null]);
  });
});

describe('the row of a process', () => {
  it('is removed when the process has been dead for an hour', async () => {
    for (const _id of ['worker-1', 'worker-2'])
      await ports.store.insertProcess({ _id, role: 'worker', host: 'here', beat: 0 });
    const listUnchangedFor = (durationMs: number) => (durationMs === HOUR_MS ? ['worker-1'] : []);
    await sweep({ peers: { listUnchangedFor } });
    expect((await ports.store.listProcesses()).map(({ _id }) => _id)).toEqual(['worker-2']);
  });
});

describe('rows that a deployment keeps for a limited time', () => {
  it('are removed afterwards: bindings, dead letters, and usage where configured', async () => {
    const { store } = ports;
    const binding = { user_id: 'ann', dialect: 'd', value: '1', at: daysAgo(2) };
    await store.putBinding({ ...binding, _id: 'b1', key: 'b1', expires_at: daysAgo(1) });
    const letter = { queue: 'turns', reason: 'rejected', message_id: 'm', size: 1, content: '' };
    for (const days of [29, 31]) await store.putDeadLetter({ ...letter, _id: `d${days}`, at: daysAgo(days) });
    const counts = { input_tokens: 1, cached_tokens: 0, output_tokens: 1, cost: 0, counted_to: 0 };
    const used = { user_id: 'ann', conversation_id: CONVERSATION_ID, model: 'one/a', ...counts };
    await store.addUsage({ ...used, _id: 'u1', day: daysAgo(31).slice(0, 10) });
    await sweep();
    expect(await store.listBindings('ann', 'd')).toEqual([]);
    expect((await store.listDeadLetters(9)).map(({ _id }) => _id)).toEqual(['d29']);
    const countUsage = async () =>
      (
        await store.sumUsage({
          from: daysAgo(60).slice(0, 10),
          to: daysAgo(0).slice(0, 10),
          by: ['day'],
          limit: 9,
        })
      ).length;
    expect(await countUsage()).toBe(1);
    await sweep({ settings: { ...settings, deadLetterDays: 20, usage: { budget: {}, keepDays: 30 } } });
    expect([await store.listDeadLetters(9), await countUsage()]).toEqual([[], 0]);
  });
});

describe('a conversation', () => {
  it('is deleted when it was unchanged for the configured number of days', async () => {
    const at = daysAgo(31);
    const conversation = {
      _id: CONVERSATION_ID,
      user_id: 'ann',
      title: 'A talk',
      policy: 'enqueue' as const,
    };
    await ports.store.insertConversation({ ...conversation, created_at: at, updated_at: at });
    await sweep();
    expect((await ports.store.getConversation(CONVERSATION_ID))!.deleted_at).toBeUndefined();
    await sweep({ settings: { ...settings, retentionDays: 30 } });
    expect((await ports.store.getConversation(CONVERSATION_ID))!.deleted_at).toBeDefined();
  });
});
