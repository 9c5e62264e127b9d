import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Turn } from '#contracts';
import type { Bus } from '#messaging';
import { FleetHarness, scriptedModel, USAGE } from '../orchestrator/fleet-harness.js';
import { JWT_SECRET, signTestToken, startHarness, type Client, type Harness } from './gateway-harness.js';

/** Of 40 turns at once two are one user's share. */
const FAIR_SHARE = 0.05;
const model = scriptedModel(() => [
  { type: 'text', text: 'hello' },
  { type: 'end', stop_reason: 'end_turn', usage: USAGE },
]);

let fleet: FleetHarness;
let harness: Harness;
let bus: Bus;
beforeEach(async () => {
  fleet = await FleetHarness.open();
  const { part } = await fleet.join('gateway');
  ({ bus } = part);
  harness = await startHarness({
    config: { auth: { kind: 'jwt', secret: JWT_SECRET }, fairShare: FAIR_SHARE },
    alter: () => ({ store: part.store, bus }),
  });
});
afterEach(async () => {
  await harness.stop();
  await fleet.close();
});

const connect = async (user: string) => harness.connect({ token: await signTestToken(user) });
const hints = async () => {
  const queue = await bus.inspect('turns');
  return queue === 'missing' ? 0 : queue.messages;
};
async function sendAll(client: Client, count: number): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let n = 0; n < count; n++) {
    const { turn_id } = await client.send(`message ${n}`);
    turns.push((await fleet.store.getTurn(turn_id))!);
  }
  return turns;
}
const refusals = () => harness.log.filter((line) => line.includes('"limit":"fair_share"'));

it('turns beyond the share of a user stay due while hints wait, and the sweeper hints them', async () => {
  const [greedy, ann] = [await connect('greedy'), await connect('ann')];
  // No orchestrator runs yet.
  await fleet.submit('hello', { user: 'eve' });
  const turns = await sendAll(greedy, 6);
  expect(await hints()).toBe(1 + 2);
  await sendAll(ann, 1);
  expect(await hints()).toBe(1 + 2 + 1);
  const due = await fleet.store.listDueTurns(Date.now(), 100, 'moving');
  expect(due.map(({ _id }) => _id).sort()).toEqual(
    turns
      .slice(2)
      .map(({ _id }) => _id)
      .sort(),
  );
  expect(refusals()).toHaveLength(1);
  expect(refusals()[0]).toContain('greedy');
  await fleet.startOrchestrator(model, { fairShare: FAIR_SHARE });
  await greedy.event('complete', 6);
  await ann.event('complete');
});

it('every turn is hinted at once while no hint waits', async () => {
  const greedy = await connect('greedy');
  await fleet.startOrchestrator(model, { fairShare: FAIR_SHARE });
  const turns = await sendAll(greedy, 5);
  await greedy.event('complete', turns.length);
  expect(refusals()).toEqual([]);
});
