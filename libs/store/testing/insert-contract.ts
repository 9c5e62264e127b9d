import { describe, expect, it } from '@jest/globals';
import type { Inserted, Store } from '../port/store.port.js';
import {
  makeCallId,
  makeId,
  sampleAnswer,
  sampleClaim,
  sampleConversation,
  sampleOutcome,
  sampleStep,
  sampleTurn,
} from './sample-rows.js';

const racers = 50;

async function race<Row>(insert: (index: number) => Promise<Inserted<Row>>): Promise<void> {
  const results = await Promise.all(Array.from({ length: racers }, (_, index) => insert(index)));
  const winners = results.filter(({ won }) => won);
  expect(winners).toHaveLength(1);
  for (const { row } of results) expect(row).toEqual(winners[0]!.row);
}

export function describeInserts(store: () => Store): void {
  describe('an insert that one process wins', () => {
    it('lets one of 50 claims of the same attempt win and returns its row to the others', async () => {
      const turn = sampleTurn();
      const callId = makeCallId();
      await race(() => store().claim(sampleClaim(turn, callId, 1)));
      expect(await store().listClaims(callId)).toHaveLength(1);
    });

    it('lets one of 50 outcomes of the same call win', async () => {
      const turn = sampleTurn();
      const callId = makeCallId();
      await race((index) => store().settle(sampleOutcome(turn, callId, { data: { index } })));
    });

    it('lets one of 50 commits of the same step win', async () => {
      const turn = sampleTurn();
      await race((index) => store().commitStep(sampleStep(turn, 1, { attempt: 100 + index })));
    });

    it('lets one of 50 answers to the same question win', async () => {
      const turn = sampleTurn();
      const callId = makeCallId();
      await race(() => store().answer(sampleAnswer(turn, callId)));
    });

    it('lets one of 50 conversations with the same id win', async () => {
      const _id = makeId();
      await race(() => store().insertConversation(sampleConversation({ _id })));
    });

    it('gives a number to one of 50 turns and reports it as taken to the others', async () => {
      const conversation_id = makeId();
      const insert = () => store().insertTurn(sampleTurn({ conversation_id }));
      const results = await Promise.all(Array.from({ length: racers }, insert));
      expect(results.filter((result) => result === 'taken')).toHaveLength(racers - 1);
      expect(await store().listTurns(conversation_id, { limit: 100 })).toHaveLength(1);
    });

    it('answers 50 sends of one client message with one turn, whatever number and id they try', async () => {
      const message = { conversation_id: makeId(), client_message_id: makeId() };
      const insert = (index: number) => store().insertTurn(sampleTurn({ ...message, number: index + 1 }));
      await race(async (index) => {
        const result = await insert(index);
        expect(result).not.toBe('taken');
        return result as Exclude<typeof result, 'taken'>;
      });
    });

    it('returns the stored row to a resend of the same row, as not won', async () => {
      const turn = sampleTurn();
      const callId = makeCallId();
      const claim = sampleClaim(turn, callId, 1);
      const outcome = sampleOutcome(turn, callId);
      const step = sampleStep(turn, 1);
      expect(await store().claim(claim)).toEqual({ won: true, row: claim });
      expect(await store().claim(claim)).toEqual({ won: false, row: claim });
      expect(await store().settle(outcome)).toEqual({ won: true, row: outcome });
      expect(await store().settle(outcome)).toEqual({ won: false, row: outcome });
      expect(await store().commitStep(step)).toEqual({ won: true, row: step });
      expect(await store().commitStep(step)).toEqual({ won: false, row: step });
      expect(await store().insertTurn(turn)).toEqual({ won: true, row: turn });
      expect(await store().insertTurn(turn)).toEqual({ won: false, row: turn });
    });

    it('answers a turn with its own row although its number is another one by now', async () => {
      const turn = sampleTurn();
      await store().insertTurn(turn);
      expect(await store().insertTurn({ ...turn, number: 2 })).toEqual({ won: false, row: turn });
    });

    it('gives the next number to another turn', async () => {
      const conversation_id = makeId();
      await store().insertTurn(sampleTurn({ conversation_id }));
      const other = sampleTurn({ conversation_id });
      expect(await store().insertTurn(other)).toBe('taken');
      expect(await store().insertTurn({ ...other, number: 2 })).toMatchObject({ won: true });
      expect(await store().lastTurnNumber(conversation_id)).toBe(2);
    });

    it('inserts several turns in order, up to the first that is taken', async () => {
      const conversation_id = makeId();
      const rows = [1, 2, 3, 4, 5].map((number) => sampleTurn({ conversation_id, number }));
      const stored = async () =>
        (await store().listTurns(conversation_id, { limit: 9 })).map((row) => row._id);
      expect(await store().insertTurns([])).toBe(0);
      expect(await store().insertTurns(rows.slice(0, 2))).toBe(2);
      const other = sampleTurn({ conversation_id, number: 4 });
      await store().insertTurn(other);
      expect(await store().insertTurns(rows.slice(2))).toBe(1);
      expect(await store().insertTurns(rows)).toBe(0);
      expect(await stored()).toEqual([rows[0]!._id, rows[1]!._id, rows[2]!._id, other._id]);
      const said = sampleTurn({ conversation_id, number: 9, client_message_id: other.client_message_id });
      expect(await store().insertTurns([rows[4]!, said])).toBe(1);
    });

    it('commits several steps at once, and leaves those that are there', async () => {
      const turn = sampleTurn();
      const rows = [1, 2, 3].map((n) => sampleStep(turn, n));
      const first = sampleStep(turn, 2, { attempt: 7 });
      await store().commitStep(first);
      await store().commitSteps([]);
      await store().commitSteps(rows);
      await store().commitSteps(rows);
      const stored = await Promise.all([1, 2, 3].map((n) => store().getStep(turn._id, n)));
      expect(stored).toEqual([rows[0], first, rows[2]]);
    });

    it('lets the same client message id stand in two conversations', async () => {
      const client_message_id = makeId();
      const insert = () => store().insertTurn(sampleTurn({ client_message_id }));
      expect([await insert(), await insert()]).toMatchObject([{ won: true }, { won: true }]);
    });
  });
}
