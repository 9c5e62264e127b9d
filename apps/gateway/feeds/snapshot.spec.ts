import { expect, it } from '@jest/globals';
import type { TurnView, View } from '#contracts';
import { emptyView } from '#turn';
import { snapshotOf, TURNS_SHOWN } from './snapshot.js';

const MAX_BYTES = 1024 * 1024;
const AT = '2026-01-01T00:00:00.000Z';

/** An ended turn with an answer of so many characters. */
function turn(number: number, length: number): TurnView {
  const about = { content: 'q', by: 'ann', client_message_id: `m${number}`, at: AT };
  const step = { n: 1, attempt: 100, text: 'é'.repeat(length), calls: [] };
  return { turn_id: `turn_${number}`, number, status: 'completed', ...about, steps: [step] };
}

const viewOf = (count: number, length: number): View => ({
  ...emptyView('conv_1'),
  turns: Array.from({ length: count }, (_, i) => turn(i + 1, length)),
});

it('a snapshot fits into one message with the newest turns, regardless of the length of their answers', () => {
  const { view } = snapshotOf(viewOf(TURNS_SHOWN, 50_000), AT);
  expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThanOrEqual(MAX_BYTES);
  expect(view.turns.at(-1)?.number).toBe(TURNS_SHOWN);
  expect(view).toMatchObject({ earlier: true });
});

it('a snapshot of short answers has as many turns as are shown, and says whether there are more', () => {
  expect(snapshotOf(viewOf(TURNS_SHOWN, 10), AT).view).toEqual(viewOf(TURNS_SHOWN, 10));
  const { view } = snapshotOf(viewOf(TURNS_SHOWN + 1, 10), AT);
  expect(view.turns.map(({ number }) => number)).toEqual(
    Array.from({ length: TURNS_SHOWN }, (_, i) => i + 2),
  );
  expect(view.earlier).toBe(true);
});
