import { describe, expect, it } from '@jest/globals';
import type { Turn } from '#contracts';
import type { Journal, Store } from '../port/store.port.js';
import {
  makeCallId,
  makeId,
  sampleAnswer,
  sampleClaim,
  sampleOutcome,
  sampleStep,
  sampleTurn,
} from './sample-rows.js';

/** A turn of two steps with two calls, inserted in an order that is not the order of reading. */
async function insertJournal(store: Store, turn: Turn): Promise<Journal> {
  const [first, second] = [makeCallId(), makeCallId()].sort() as [string, string];
  const steps = [sampleStep(turn, 1), sampleStep(turn, 2)];
  const claims = [
    sampleClaim(turn, turn._id, 1),
    sampleClaim(turn, turn._id, 2),
    sampleClaim(turn, turn._id, 3),
  ];
  const outcomes = [sampleOutcome(turn, first), sampleOutcome(turn, second)];
  const answers = [sampleAnswer(turn, first), sampleAnswer(turn, second)];
  await store.insertTurn(turn);
  for (const row of steps.toReversed()) await store.commitStep(row);
  for (const row of claims.toReversed()) await store.claim(row);
  for (const row of outcomes.toReversed()) await store.settle(row);
  for (const row of answers.toReversed()) await store.answer(row);
  return { turn, steps, claims, outcomes, answers };
}

export function describeJournalReads(store: () => Store): void {
  describe('reading the journal', () => {
    it('returns a turn with all of its rows and none of another, in order', async () => {
      const turn = sampleTurn();
      const journal = await insertJournal(store(), turn);
      await insertJournal(store(), sampleTurn({ conversation_id: turn.conversation_id, number: 2 }));
      expect(await store().readJournal(turn._id)).toEqual(journal);
    });

    it('gives a turn without rows as empty lists', async () => {
      const turn = sampleTurn();
      await store().insertTurn(turn);
      const empty = { turn, steps: [], claims: [], outcomes: [], answers: [] };
      expect(await store().readJournal(turn._id)).toEqual(empty);
      expect(await store().readJournals(turn.conversation_id, [turn])).toEqual([empty]);
      expect(await store().readJournals(turn.conversation_id, [])).toEqual([]);
    });

    it('gives outlines: what has happened, without what was written', async () => {
      const turn = sampleTurn({ content: 'PLANTED' });
      const journal = await insertJournal(store(), turn);
      await store().commitStep(sampleStep(turn, 9, { final: true }));
      const [outline, ...others] = await store().readOutlines([turn._id, makeId()]);
      expect(others).toEqual([]);
      expect(outline!.turn).toEqual({ ...turn, content: '' });
      expect(outline!.steps.map(({ n, final }) => [n, final])).toEqual([
        ...journal.steps.map(({ n }) => [n, undefined]),
        [9, true],
      ]);
      expect(outline!.steps.map(({ calls }) => calls)).toEqual([
        ...journal.steps.map(({ calls }) => calls),
        [],
      ]);
      expect(outline!.steps.every(({ blocks }) => blocks.length === 0)).toBe(true);
      expect([outline!.claims, outline!.answers]).toEqual([journal.claims, journal.answers]);
      const withoutResult = { data: null, error: null, explanation: null };
      expect(outline!.outcomes).toMatchObject(
        journal.outcomes.map(({ _id, status, attempt, at }) => ({
          _id,
          status,
          attempt,
          at,
          ...withoutResult,
        })),
      );
    });

    it('gives several turns in bulk, by number', async () => {
      const conversation_id = makeId();
      const journals: Journal[] = [];
      for (let number = 1; number <= 3; number++) {
        journals.push(await insertJournal(store(), sampleTurn({ conversation_id, number })));
      }
      const turns = journals.map(({ turn }) => turn);
      expect(await store().readJournals(conversation_id, turns.toReversed())).toEqual(journals);
      expect(await store().readJournals(conversation_id, [turns[1]!])).toEqual([journals[1]]);
    });

    it('reads more turns at once than one query asks for', async () => {
      const conversation_id = makeId();
      const turns = Array.from({ length: 1100 }, (_, index) =>
        sampleTurn({ conversation_id, number: index + 1 }),
      );
      const marked = [turns[0]!, turns[600]!, turns[1099]!];
      for (const turn of marked) await store().commitStep(sampleStep(turn, 1));
      const journals = await store().readJournals(conversation_id, turns);
      expect(journals.map(({ turn }) => turn.number)).toEqual(turns.map((turn) => turn.number));
      const withSteps = journals.filter(({ steps }) => steps.length === 1).map(({ turn }) => turn.number);
      expect(withSteps).toEqual([1, 601, 1100]);
    });

    it('lists the steps between two turns of a conversation, by turn number and n', async () => {
      const conversation_id = makeId();
      const turns = [9, 10, 11, 12].map((number) => sampleTurn({ conversation_id, number }));
      for (const turn of turns.toReversed()) {
        for (const n of [11, 2, 1]) await store().commitStep(sampleStep(turn, n));
      }
      const steps = await store().listSteps(conversation_id, { after: 9, before: 12 });
      expect(steps.map((step) => [step.turn_number, step.n])).toEqual([
        [10, 1],
        [10, 2],
        [10, 11],
        [11, 1],
        [11, 2],
        [11, 11],
      ]);
      expect(await store().getStep(turns[0]!._id, 11)).toEqual(sampleStep(turns[0]!, 11));
      expect(await store().getStep(turns[0]!._id, 3)).toBeNull();
    });

    it('lists the outcomes of several turns', async () => {
      const [one, two, other] = [sampleTurn(), sampleTurn(), sampleTurn()];
      const outcomes = [one, two, other].map((turn) => sampleOutcome(turn, makeCallId()));
      for (const outcome of outcomes) await store().settle(outcome);
      const listed = await store().listOutcomes([one._id, two._id]);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining(outcomes.slice(0, 2)));
      expect(await store().listOutcomes([])).toEqual([]);
      expect(await store().getOutcome(outcomes[2]!._id)).toEqual(outcomes[2]);
      expect(await store().getOutcome(makeCallId())).toBeNull();
    });

    it('reads one answer', async () => {
      const answer = sampleAnswer(sampleTurn(), makeCallId());
      await store().answer(answer);
      expect(await store().getAnswer(answer._id)).toEqual(answer);
      expect(await store().getAnswer(`${answer._id}:2`)).toBeNull();
    });

    it.each([0, 1, 8, 9, 17])('lists all %i claims of one piece of work by attempt', async (count) => {
      const turn = sampleTurn();
      const callId = makeCallId();
      const claims = Array.from({ length: count }, (_, index) => sampleClaim(turn, callId, index + 1));
      for (const claim of claims) await store().claim(claim);
      await store().claim(sampleClaim(turn, `${callId}0`, 1));
      expect(await store().listClaims(callId)).toEqual(claims);
    });
  });
}
