import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completeResult, type Journal, type Step } from '#contracts';
import { stepRow } from '#journal';
import { createStore } from '#store';
import { assertTranscript } from '#turn';
import { History } from './history.js';

const CONVERSATION = 'conv_1';
const at = '2026-01-01T00:00:00.000Z';
const callId = (number: number) => `call_${String(number).padStart(22, '0')}`;

/** What a turn does before it answers: nothing, shorten, summarise, or first the one and then the other. */
const rooms = fc.constantFrom<string[]>([], [], [''], ['In short.'], ['', 'In short.']);
const turns = fc.array(
  fc.record({ room: rooms, result: fc.constantFrom(0, 10, 2_000), end: fc.constantFrom('model', 'cancel') }),
  { minLength: 1, maxLength: 12 },
);
type TurnPlan = typeof turns extends fc.Arbitrary<(infer One)[]> ? One : never;

const by = { clock: { wall: () => 0 } };

function journalOf(number: number, { room, result, end }: TurnPlan): Journal {
  const turn: Journal['turn'] = {
    ...{ _id: `turn_${number}`, conversation_id: CONVERSATION, number, user_id: 'ann' },
    ...{ client_message_id: `m${number}`, content: `question ${number}`, options: {}, at },
    ...{ status: 'completed', due_at: null },
  };
  const rows = { turn };
  const steps: Step[] = room.map((text, i) =>
    stepRow(by, rows, i + 1, {
      kind: 'summary',
      attempt: 100,
      blocks: text === '' ? [] : [{ type: 'text', text: `${text} ${number}` }],
    }),
  );
  const id = callId(number);
  const call = {
    ...{ tool_call_id: id, tool_name: 'files.read', display_name: 'read', source: 'local' as const },
    ...{ arguments: {}, class: 'read' as const, timeout_ms: 1_000, approval: 'none' as const },
  };
  if (result > 0) {
    const blocks = [{ type: 'tool_use' as const, tool_call_id: id, name: 'files__read', arguments: {} }];
    steps.push(stepRow(by, rows, steps.length + 1, { kind: 'model', attempt: 100, blocks, calls: [call] }));
  }
  const said = [{ type: 'text' as const, text: `answer ${number}` }];
  steps.push(stepRow(by, rows, steps.length + 1, { kind: end, attempt: 100, blocks: said }));
  const outcomes: Journal['outcomes'] =
    result === 0
      ? []
      : [
          {
            ...{ _id: id, turn_id: turn._id, conversation_id: CONVERSATION, n: 1 },
            ...completeResult({ status: 'success', data: { text: 'r'.repeat(result) } }),
            ...{ attempt: 1, worker: 'worker-1', duration_ms: 1, at },
          },
        ];
  return { turn, steps, outcomes, claims: [], answers: [] };
}

describe('a history with compacted turns', () => {
  it('is the same whether it was appended here, read whole, or both, and is always a valid transcript', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(), async (plans, cut) => {
        const store = createStore({ dataDir: ':memory:' });
        await store.open();
        try {
          const growing = new History(store);
          const late = new History(store);
          await growing.before(CONVERSATION, 1);
          for (const [i, plan] of plans.entries()) {
            const journal = journalOf(i + 1, plan);
            await store.insertTurn(journal.turn);
            for (const step of journal.steps) await store.commitStep(step);
            for (const outcome of journal.outcomes) await store.settle(outcome);
            growing.append(journal);
            if (i === cut % plans.length) await late.before(CONVERSATION, i + 2);
          }
          const next = plans.length + 1;
          const { messages } = await new History(store).before(CONVERSATION, next);
          expect((await growing.before(CONVERSATION, next)).messages).toEqual(messages);
          expect((await late.before(CONVERSATION, next)).messages).toEqual(messages);
          assertTranscript(messages);
          expectRoom(plans, JSON.stringify(messages));
        } finally {
          await store.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

/** Of what a summary replaced nothing is left, and the summary is there. */
function expectRoom(plans: TurnPlan[], said: string): void {
  const last = plans.findLastIndex(({ room }) => room.includes('In short.'));
  for (const [i] of plans.entries()) {
    expect(said.includes(`question ${i + 1}"`)).toBe(i >= last);
    if (i !== last) expect(said.includes(`In short. ${i + 1}"`)).toBe(false);
  }
  if (last >= 0) expect(said.includes(`In short. ${last + 1}"`)).toBe(true);
  const shortenedAt = plans.findLastIndex(({ room }) => room.length > 0);
  const after = plans.slice(Math.max(0, shortenedAt));
  const isCancelled = (plan: TurnPlan) => plan.end === 'cancel';
  const longResults = after.filter((plan) => plan.result === 2_000 && !isCancelled(plan));
  expect(said.split('r'.repeat(2_000)).length - 1).toBe(longResults.length);
}
