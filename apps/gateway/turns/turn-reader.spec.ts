import { expect, it } from '@jest/globals';
import type { Call, Outcome, Step } from '#contracts';
import type { Store } from '#store';
import { SystemClock } from '#time';
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
