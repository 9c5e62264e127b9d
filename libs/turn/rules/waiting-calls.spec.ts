import { expect, it } from '@jest/globals';
import { at, callId, callRow, claimRow, journalOf, outcomeRow, START, stepRow } from '../testing/rows.js';
import { waitingCalls } from './waiting-calls.js';

const journal = journalOf({
  steps: [
    stepRow(
      1,
      '',
      [1, 2, 3, 4].map((n) => callRow(n)),
      { at: at(1_000) },
    ),
    stepRow(2, '', [callRow(5, { tool_name: 'web.search', approval: 'required' }), callRow(6)], {
      at: at(2_000),
    }),
  ],
  claims: [claimRow(callId(1))],
  outcomes: [outcomeRow(2)],
});

it('are the open calls that no worker has claimed and no person has to approve', () => {
  const since = waitingCalls(journal, () => undefined).map(({ tool_name, since }) => [
    tool_name,
    since - START,
  ]);
  expect(since).toEqual([
    ['math.add', 1_000],
    ['math.add', 1_000],
    ['math.add', 2_000],
  ]);
});

it('wait since they were released, and not at all while they are held back', () => {
  const released = new Map([
    [callId(3), START + 5_000],
    [callId(4), Infinity],
  ]);
  const since = waitingCalls(journal, (id) => released.get(id)).map((call) => call.since - START);
  expect(since).toEqual([5_000, 2_000]);
});
