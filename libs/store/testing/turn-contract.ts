import { describe, expect, it } from '@jest/globals';
import type { TurnStatus } from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeId, sampleConversation, sampleTurn } from './sample-rows.js';

const statuses: TurnStatus[] = ['queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled'];
const endedStatuses: TurnStatus[] = ['completed', 'failed', 'cancelled'];

export function describeTurns(store: () => Store): void {
  describe('conversations', () => {
    it('lists those of a user, newest first, without deleted ones and those that expire, page by page', async () => {
      const user_id = makeId();
      const times = ['2026-01-03', '2026-01-01', '2026-01-05', '2026-01-04', '2026-01-02'];
      const rows = times.map((day) => sampleConversation({ user_id, updated_at: `${day}T00:00:00.000Z` }));
      for (const row of rows) await store().insertConversation(row);
      await store().insertConversation(sampleConversation());
      const deleted_at = '2026-02-01T00:00:00.000Z';
      await store().updateConversation(rows[3]!._id, { deleted_at });
      const passing = sampleConversation({ user_id, expires_at: deleted_at, due_at: -5 });
      await store().insertConversation(passing);

      const first = await store().listConversations(user_id, { skip: 0, limit: 2 });
      const second = await store().listConversations(user_id, { skip: 2, limit: 2 });
      expect([...first, ...second].map((row) => row.updated_at.slice(0, 10))).toEqual([
        '2026-01-05',
        '2026-01-03',
        '2026-01-02',
        '2026-01-01',
      ]);
      expect(await store().getConversation(rows[3]!._id)).toEqual({ ...rows[3], deleted_at });
      expect(await store().listDueConversations(-5, 100)).toEqual([passing]);
      await store().removeConversation(passing._id);
    });

    it('lists the ids of all, marked and expiring ones too, by id, page by page', async () => {
      const prefix = `all${makeId()}`;
      const deleted_at = '2026-02-01T00:00:00.000Z';
      const changes = [{}, { deleted_at }, { expires_at: deleted_at }];
      const ids = ['c', 'a', 'b'].map((end) => `${prefix}${end}`);
      for (const [i, _id] of ids.entries())
        await store().insertConversation(sampleConversation({ _id, ...changes[i] }));
      const first = await store().listConversationIds({ after: prefix, limit: 2 });
      expect(first).toEqual([`${prefix}a`, `${prefix}b`]);
      const next = await store().listConversationIds({ after: first[1]!, limit: 1 });
      expect(next).toEqual([`${prefix}c`]);
    });

    it('keeps what an update does not name, and lets the last writer win', async () => {
      const row = sampleConversation();
      await store().insertConversation(row);
      await store().updateConversation(row._id, { title: 'First', policy: 'reject' });
      await store().updateConversation(row._id, { title: 'Second', updated_at: undefined });
      await store().updateConversation(row._id, {});
      const changed = { ...row, title: 'Second', policy: 'reject' as const };
      for (const model of ['anthropic/x', '']) {
        await store().updateConversation(row._id, { model });
        expect(await store().getConversation(row._id)).toEqual({ ...changed, model });
      }
    });

    it('has no conversation, turn or journal under an unknown id', async () => {
      const id = makeId();
      await store().updateConversation(id, { title: 'nobody' });
      await store().setTurnStatus(id, 'running');
      expect(await store().getConversation(id)).toBeNull();
      expect(await store().getTurn(id)).toBeNull();
      expect(await store().readJournal(id)).toBeNull();
      expect(await store().lastTurnNumber(id)).toBe(0);
      expect(await store().listTurns(id, { limit: 5 })).toEqual([]);
    });
  });

  describe('turns', () => {
    it('lists the newest ones below a number, ascending', async () => {
      const conversation_id = makeId();
      for (let number = 1; number <= 12; number++) {
        await store().insertTurn(sampleTurn({ conversation_id, number }));
      }
      const numbers = async (page: { before?: number; limit: number }) =>
        (await store().listTurns(conversation_id, page)).map((turn) => turn.number);
      expect(await numbers({ limit: 3 })).toEqual([10, 11, 12]);
      expect(await numbers({ before: 10, limit: 3 })).toEqual([7, 8, 9]);
      expect(await numbers({ before: 3, limit: 5 })).toEqual([1, 2]);
      expect(await numbers({ before: 1, limit: 5 })).toEqual([]);
    });

    it('lists the first ones after a number, ascending', async () => {
      const conversation_id = makeId();
      for (const number of [3, 1, 2, 11, 4])
        await store().insertTurn(sampleTurn({ conversation_id, number }));
      const numbers = async (after: number, limit: number) =>
        (await store().listTurns(conversation_id, { after, limit })).map((turn) => turn.number);
      expect(await numbers(0, 3)).toEqual([1, 2, 3]);
      expect(await numbers(3, 3)).toEqual([4, 11]);
      expect(await numbers(11, 3)).toEqual([]);
    });

    it('never replaces an ended status by another', async () => {
      for (const ended of endedStatuses) {
        const turn = sampleTurn({ status: ended });
        await store().insertTurn(turn);
        for (const status of statuses) await store().setTurnStatus(turn._id, status);
        expect((await store().getTurn(turn._id))?.status).toBe(ended);
      }
    });

    it('keeps one of two ends that are written at the same time', async () => {
      const turn = sampleTurn({ status: 'running' });
      await store().insertTurn(turn);
      const writes = Array.from({ length: 20 }, (_, index) => statuses[index % statuses.length]!);
      await Promise.all(writes.map((status) => store().setTurnStatus(turn._id, status)));
      const stored = (await store().getTurn(turn._id))!.status;
      expect(endedStatuses).toContain(stored);
      await store().setTurnStatus(turn._id, 'running');
      expect((await store().getTurn(turn._id))!.status).toBe(stored);
    });

    it('lists the unended ones of a conversation and counts those of a user', async () => {
      const user_id = makeId();
      const conversation_id = makeId();
      const turns = statuses.map((status, at) =>
        sampleTurn({ user_id, conversation_id, status, number: at + 1 }),
      );
      for (const turn of turns) await store().insertTurn(turn);
      await store().insertTurn(sampleTurn({ user_id }));
      expect(await store().listUnendedTurns(conversation_id)).toEqual(turns.slice(0, 3));
      expect(await store().countUnendedTurns(user_id)).toBe(4);
      const ofUser = await store().listUnendedTurnsOf(user_id);
      expect(ofUser.filter((turn) => turn.conversation_id === conversation_id)).toHaveLength(3);
      expect(ofUser).toHaveLength(4);
      const states = ofUser.map((turn) => {
        const { number, status } = turn;
        return { conversation_id: turn.conversation_id, number, status };
      });
      expect(new Set(await store().listUnendedStatesOf(user_id))).toEqual(new Set(states));
      expect(await store().listUnendedTurnsOf(makeId())).toEqual([]);
      await store().setTurnStatus(turns[0]!._id, 'completed');
      expect(await store().listUnendedTurns(conversation_id)).toEqual(turns.slice(1, 3));
      expect(await store().countUnendedTurns(user_id)).toBe(3);
      expect(await store().countUnendedTurns(makeId())).toBe(0);
    });

    it('reads how conversations began, also of one that is empty or unknown', async () => {
      const [one, two, empty] = [makeId(), makeId(), makeId()];
      const contents = [`"\u0000\u{1F408}€\n${'x'.repeat(65_000)}`, 'short'];
      await store().insertTurn(sampleTurn({ conversation_id: one, content: contents[0] }));
      await store().insertTurn(sampleTurn({ conversation_id: two, content: contents[1] }));
      await store().insertTurn(sampleTurn({ conversation_id: one, number: 2, content: 'later' }));
      const opening = { conversation_id: one, opening: '"\u0000\u{1F408}€\nxx' };
      expect(await store().listOpenings([one, empty], 8)).toEqual([opening]);
      const both = [opening, { conversation_id: two, opening: 'short' }];
      expect(new Set(await store().listOpenings([two, one], 8))).toEqual(new Set(both));
      expect(await store().listOpenings([], 8)).toEqual([]);
    });

    it.each([
      ['\u{1F408}\u{1F408}', 3, '\u{1F408}\ud83d'],
      ['\ud83d\ude00\udc08 lone', 4, '\ud83d\ude00\udc08 '],
      ['\udc08\udc08\udc08', 2, '\udc08\udc08'],
      ['\u0001\u0002\u0003', 2, '\u0001\u0002'],
      ['\\u0041\\"', 3, '\\u0'],
      ['', 5, ''],
    ])('cuts the opening of %j after %i units', async (content, length, opening) => {
      const conversation_id = makeId();
      await store().insertTurn(sampleTurn({ conversation_id, content }));
      expect(await store().listOpenings([conversation_id], length)).toEqual([{ conversation_id, opening }]);
    });

    it('lists those that are due, oldest first, and never those without a time', async () => {
      const conversation_id = makeId();
      const dueAt = [30, 10, 20, 40, null];
      const turns = dueAt.map((due_at, index) => sampleTurn({ conversation_id, number: index + 1, due_at }));
      for (const turn of turns) await store().insertTurn(turn);
      const listDue = async (now: number, limit: number) =>
        (await store().listDueTurns(now, limit)).map((turn) => turn.due_at);
      expect(await listDue(30, 100)).toEqual([10, 20, 30]);
      expect(await listDue(30, 2)).toEqual([10, 20]);
      await store().setTurnDue(turns[1]!._id, null);
      await store().setTurnDue(turns[3]!._id, 15);
      await store().setTurnDue(turns[4]!._id, 1.5);
      expect(await listDue(30, 100)).toEqual([1.5, 15, 20, 30]);
      await store().setTurnStatus(turns[3]!._id, 'awaiting_input');
      const dueOf = async (which: 'moving' | 'parked', limit: number) =>
        (await store().listDueTurns(30, limit, which)).map((turn) => turn.due_at);
      expect(await dueOf('parked', 100)).toEqual([15]);
      expect(await dueOf('moving', 100)).toEqual([1.5, 20, 30]);
      expect(await dueOf('moving', 2)).toEqual([1.5, 20]);
      await store().setTurnStatus(turns[3]!._id, 'completed');
      expect(await dueOf('moving', 100)).toEqual([1.5, 15, 20, 30]);
      for (const turn of turns) await store().setTurnDue(turn._id, null);
      expect(await listDue(100, 100)).toEqual([]);
      expect(await store().getTurn(turns[0]!._id)).toEqual({ ...turns[0], due_at: null });
    });
  });
}
