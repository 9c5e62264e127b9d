import { describe, expect, it } from '@jest/globals';
import type { Connection } from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeId } from './sample-rows.js';

const at = '2026-03-01T10:00:00.000Z';

function sampleConnection(fields: Partial<Connection> = {}): Connection {
  return {
    _id: makeId(),
    kind: 'tokens',
    user_id: makeId(),
    server: '$crm \u{1F408}',
    issuer: 'https://id.example.com',
    resource: 'https://crm.example.com/mcp',
    version: makeId(),
    sealed: 'a.b.c',
    at,
    ...fields,
  };
}

export function describeConnections(store: () => Store): void {
  describe('connections', () => {
    it('keeps the first of several inserted at once', async () => {
      const rows = Array.from({ length: 5 }, () => sampleConnection({ _id: 'x' + makeId() }));
      const same = rows.map((row) => ({ ...row, _id: rows[0]!._id }));
      const ends = await Promise.all(same.map((row) => store().insertConnection(row)));
      const won = ends.filter((end) => end.won);
      expect(won).toHaveLength(1);
      expect(ends.map(({ row }) => row)).toEqual(Array(5).fill(won[0]!.row));
      expect(await store().getConnection(rows[0]!._id)).toEqual(won[0]!.row);
      expect(await store().getConnection(makeId())).toBeNull();
    });

    it('takes one of several changes of the same version', async () => {
      const row = sampleConnection();
      await store().insertConnection(row);
      const changes = Array.from({ length: 5 }, () => ({ version: makeId(), sealed: makeId(), at }));
      const change = (one: (typeof changes)[number]) => store().changeConnection(row._id, row.version, one);
      const ends = await Promise.all(changes.map(change));
      expect(ends.filter(Boolean)).toHaveLength(1);
      const winner = changes[ends.indexOf(true)]!;
      expect(await store().getConnection(row._id)).toEqual({ ...row, ...winner });
      // As after a lost answer: its own change is recognised.
      expect(await change(winner)).toBe(true);
      expect(await store().changeConnection(makeId(), row.version, winner)).toBe(false);
    });

    it('is removed once, and with a version only while it has that one', async () => {
      const row = sampleConnection();
      await store().insertConnection(row);
      expect(await store().removeConnection(row._id, makeId())).toBe(false);
      const ends = await Promise.all([1, 2, 3].map(() => store().removeConnection(row._id, row.version)));
      expect(ends.filter(Boolean)).toHaveLength(1);
      expect(await store().getConnection(row._id)).toBeNull();
      await store().insertConnection(row);
      expect(await store().removeConnection(row._id)).toBe(true);
    });

    it('lists those of one user and kind', async () => {
      const user_id = makeId();
      const mine = sampleConnection({ user_id });
      for (const row of [mine, sampleConnection({ user_id, kind: 'flow' }), sampleConnection()])
        await store().insertConnection(row);
      expect(await store().listConnections(user_id, 'tokens')).toEqual([mine]);
      expect(await store().listConnections(makeId(), 'tokens')).toEqual([]);
    });

    it('removes expired ones, oldest first, a bounded number', async () => {
      const expiring = (day: number) => sampleConnection({ expires_at: `1999-02-0${day}T10:00:00.000Z` });
      const rows = [expiring(3), expiring(1), expiring(2), sampleConnection()];
      for (const row of rows) await store().insertConnection(row);
      const left = async () => {
        const found = await Promise.all(rows.map(({ _id }) => store().getConnection(_id)));
        return found.map((row) => row?.expires_at?.slice(9, 10) ?? (row ? 'kept' : 'gone'));
      };
      expect(await store().removeExpiredConnections('1999-02-03T10:00:00.000Z', 1)).toBe(1);
      expect(await left()).toEqual(['3', 'gone', '2', 'kept']);
      expect(await store().removeExpiredConnections('1999-02-03T10:00:00.000Z', 10)).toBe(1);
      expect(await store().removeExpiredConnections('1999-02-04T10:00:00.000Z', 10)).toBe(1);
      expect(await left()).toEqual(['gone', 'gone', 'gone', 'kept']);
    });
  });
}
