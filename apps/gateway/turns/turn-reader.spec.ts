import { expect, it } from '@jest/globals';
import type { Call, Outcome, Step } from '#contracts';
import { turnRow } from '#journal/testing';
import type { Store } from '#store';
import { SystemClock } from '#time';
import type { User } from '../people/auth/user.js';
import { Ownership } from './ownership.js';
import { TurnReader } from './turn-reader.js';

const CALL = `call_${'A'.repeat(22)}`;
const args = { text: 'x'.repeat(10_000) };

/** Of a store that has one step with one call, and no journal to read. */
function readerOf(outcome?: Partial<Outcome>): TurnReader {
  const step = { calls: [{ tool_call_id: CALL, arguments: args } as unknown as Call] } as Step;
  const store = {
    getStep: (turnId: string, n: number) => Promise.resolve(turnId === 'turn_1' && n === 1 ? step : null),
    getOutcome: () => Promise.resolve(outcome ?? null),
  } as unknown as Store;
  return new TurnReader(store, new Ownership(store), new SystemClock());
}

it('TurnReader reads a whole call without the rest of its turn', async () => {
  expect(await readerOf().wholeCall('turn_1', 1, CALL)).toEqual({ args });
  expect(await readerOf({ status: 'failure' }).wholeCall('turn_1', 1, CALL)).toEqual({ args });
  const text = 'y'.repeat(10_000);
  const succeeded = readerOf({ status: 'success', data: { text } });
  expect(await succeeded.wholeCall('turn_1', 1, CALL)).toEqual({ args, result: text });
});

it('TurnReader finds no call that its step does not ask for', async () => {
  const other = `call_${'B'.repeat(22)}`;
  await expect(readerOf().wholeCall('turn_1', 1, other)).rejects.toMatchObject({ code: 'not_found' });
  await expect(readerOf().wholeCall('turn_1', 2, CALL)).rejects.toMatchObject({ code: 'not_found' });
});

it('TurnReader has one journal of a user in memory at a time, and other users do not wait for it', async () => {
  const reading = new Map<string, number>();
  let most = 0;
  const ends: (() => void)[] = [];
  const store = {
    getTurn: async (id: string) => ({ ...turnRow(), _id: id, conversation_id: id }),
    getConversation: async (id: string) => ({ _id: id, user_id: id.slice(0, 3) }),
    readJournal: async (id: string) => {
      const user = id.slice(0, 3);
      reading.set(user, (reading.get(user) ?? 0) + 1);
      most = Math.max(most, reading.get(user)!);
      await new Promise<void>((end) => void ends.push(end));
      reading.set(user, reading.get(user)! - 1);
      return { turn: { ...turnRow(), _id: id }, steps: [], claims: [], outcomes: [], answers: [] };
    },
  } as unknown as Store;
  const reader = new TurnReader(store, new Ownership(store), new SystemClock());
  const asked = ['ann_1', 'ann_2', 'bob_1'].map((id) => reader.replay({ id: id.slice(0, 3) } as User, id));
  while (ends.length < 2) await new Promise(setImmediate);
  expect([...reading]).toEqual([
    ['ann', 1],
    ['bob', 1],
  ]);
  for (ends.splice(0).forEach((end) => end()); ends.length === 0;) await new Promise(setImmediate);
  ends.forEach((end) => end());
  expect((await Promise.all(asked)).map(({ turn_id }) => turn_id)).toEqual(['ann_1', 'ann_2', 'bob_1']);
  expect(most).toBe(1);
});
