import { describe, expect, it } from '@jest/globals';
import type { Artifact, DeadLetter, Turn } from '#contracts';
import type { Store } from '../port/store.port.js';
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

const at = '2026-03-01T10:00:00.000Z';

/** A turn with one of everything, as it was stored. */
async function insertFullTurn(store: Store, turn: Turn) {
  const callId = makeCallId();
  const step = sampleStep(turn, 1, { kind: 'fail', error: { code: 'internal', message: 'private' } });
  const outcome = sampleOutcome(turn, callId);
  const claims = [
    sampleClaim(turn, turn._id, 1),
    sampleClaim(turn, callId, 1, { purpose: 'settle', decides: outcome }),
  ];
  const artifact: Artifact = {
    _id: makeId(),
    user_id: turn.user_id,
    conversation_id: turn.conversation_id,
    turn_id: turn._id,
    tool_call_id: callId,
    content_type: 'text/plain',
    size: 1,
    hash: 'h',
    content: 'YQ==',
    at,
  };
  await store.insertTurn(turn);
  await store.commitStep(step);
  for (const claim of claims) await store.claim(claim);
  await store.settle(outcome);
  await store.answer(sampleAnswer(turn, callId));
  await store.putArtifact(artifact);
  const letter: DeadLetter = {
    _id: makeId(),
    queue: 'tools.math',
    reason: 'rejected',
    message_id: 'm',
    content: '{}',
    turn_id: turn._id,
    at,
  };
  await store.putDeadLetter(letter);
  return { letter, turn, callId, step, outcome, claims, artifact };
}

export function describeRemoval(store: () => Store): void {
  describe('marked conversations', () => {
    it('are listed when they are due, oldest first', async () => {
      const rows = [-30, -10, -20, -40].map(() => sampleConversation());
      for (const row of [...rows, sampleConversation()]) await store().insertConversation(row);
      for (const [index, due_at] of [-30, -10, -20].entries())
        await store().updateConversation(rows[index]!._id, { deleted_at: at, due_at });
      const listDue = async (now: number, limit: number) =>
        (await store().listDueConversations(now, limit)).map((row) => row.due_at);
      expect(await listDue(-10, 100)).toEqual([-30, -20, -10]);
      expect(await listDue(-15, 100)).toEqual([-30, -20]);
      expect(await listDue(-10, 2)).toEqual([-30, -20]);
      for (const row of rows) await store().removeConversation(row._id);
      expect(await listDue(-10, 100)).toEqual([]);
      expect(await store().getConversation(rows[0]!._id)).toBeNull();
    });

    it('are found when an earlier version marked them without a due time', async () => {
      const rows = [0, 1, 2, 3].map(() => sampleConversation());
      for (const row of rows) await store().insertConversation(row);
      for (const row of rows.slice(0, 3)) await store().updateConversation(row._id, { deleted_at: at });
      await store().updateConversation(rows[0]!._id, { due_at: 1, late_after: 7 });
      const mine = new Set(rows.map(({ _id }) => _id));
      const list = async () =>
        (await store().listUnscheduledConversations(1_000))
          .map(({ _id }) => _id)
          .filter((id) => mine.has(id))
          .sort();
      expect(await list()).toEqual([rows[1]!._id, rows[2]!._id].sort());
      expect(await store().listUnscheduledConversations(1)).toHaveLength(1);
      expect(await store().getConversation(rows[0]!._id)).toMatchObject({ due_at: 1, late_after: 7 });
      for (const row of rows) await store().removeConversation(row._id);
      expect(await list()).toEqual([]);
    });

    it('are not listed as unchanged for long', async () => {
      const days = ['1999-01-02', '1999-01-01', '1999-01-03', '1999-01-04'];
      const rows = days.map((day) => sampleConversation({ updated_at: `${day}T00:00:00.000Z` }));
      for (const row of rows) await store().insertConversation(row);
      await store().updateConversation(rows[2]!._id, { deleted_at: at });
      const list = async (limit: number) =>
        (await store().listUnchangedConversations('1999-01-04T00:00:00.000Z', limit)).map(({ _id }) => _id);
      expect(await list(10)).toEqual([rows[1]!._id, rows[0]!._id]);
      expect(await list(1)).toEqual([rows[1]!._id]);
      for (const row of rows) await store().removeConversation(row._id);
    });
  });

  describe('removing turns', () => {
    it('leaves the ids of steps and claims, so that no late insert wins, and nothing of what they said', async () => {
      const turn = sampleTurn();
      const { conversation_id } = turn;
      const full = await insertFullTurn(store(), turn);
      const other = await insertFullTurn(store(), sampleTurn({ conversation_id, number: 2 }));
      await store().removeTurns(conversation_id, [turn._id], 'ids');
      await store().removeTurns(conversation_id, [turn._id], 'ids');
      expect(await store().getTurn(turn._id)).toBeNull();
      expect(await store().readJournal(turn._id)).toBeNull();
      expect(await store().getOutcome(full.callId)).toBeNull();
      expect(await store().getArtifact(full.artifact._id)).toBeNull();
      expect(await store().getDeadLetter(full.letter._id)).toBeNull();
      const { _id, turn_id, turn_number, n } = full.step;
      const emptied = {
        ...{ _id, turn_id, conversation_id, turn_number, n, at },
        ...{ kind: 'cancel', attempt: 0, blocks: [], calls: [], stop_reason: null, usage: null },
      };
      expect(await store().commitStep(full.step)).toEqual({ won: false, row: emptied });
      const [, settling] = full.claims;
      const { decides: _decides, ...bare } = settling!;
      expect(await store().listClaims(full.callId)).toEqual([bare]);
      expect(await store().listClaims(turn._id)).toEqual([full.claims[0]]);
      // The other turn keeps everything except the artifacts, which belong to the conversation.
      const journal = await store().readJournal(other.turn._id);
      expect(journal).toMatchObject({ steps: [other.step], outcomes: [other.outcome], answers: [{}] });
      expect(journal!.claims).toEqual(expect.arrayContaining(other.claims));
    });

    it('removes everything when nothing is to be kept, in any number', async () => {
      const conversation_id = makeId();
      const full = await insertFullTurn(store(), sampleTurn({ conversation_id }));
      const turnIds = [full.turn._id, ...Array.from({ length: 1_200 }, makeId)];
      await store().removeTurns(conversation_id, turnIds, 'ids');
      await store().removeTurns(conversation_id, turnIds, 'nothing');
      expect(await store().listSteps(conversation_id, { after: 0, before: 10 })).toEqual([]);
      expect(await store().listClaims(full.callId)).toEqual([]);
      expect(await store().listClaims(full.turn._id)).toEqual([]);
    });
  });

  describe('many turns at once', () => {
    it('are read with their rows, whatever their conversations, without those that are gone', async () => {
      const turns = [sampleTurn({ number: 2 }), sampleTurn()];
      const full = await insertFullTurn(store(), turns[0]!);
      await store().insertTurn(turns[1]!);
      const journals = await store().readJournalsOf([turns[0]!._id, makeId(), turns[1]!._id]);
      expect(journals.map((journal) => journal.turn)).toEqual([turns[1], turns[0]]);
      expect(journals[1]).toEqual(await store().readJournal(full.turn._id));
    });

    it('become due together', async () => {
      const turns = [sampleTurn({ due_at: 5 }), sampleTurn(), sampleTurn()];
      for (const turn of turns) await store().insertTurn(turn);
      await store().setTurnsDue([turns[0]!._id, turns[1]!._id], 7.5);
      const dueAt = async () =>
        Promise.all(turns.map(async ({ _id }) => (await store().getTurn(_id))?.due_at));
      expect(await dueAt()).toEqual([7.5, 7.5, null]);
      expect((await store().listDueTurns(7.5, 100)).map(({ _id }) => _id)).toEqual(
        expect.arrayContaining([turns[0]!._id, turns[1]!._id]),
      );
      for (const turn of turns) await store().setTurnDue(turn._id, null);
      expect(await store().getTurn(turns[0]!._id)).toEqual({ ...turns[0], due_at: null });
    });
  });
}
