import { describe, expect, it } from '@jest/globals';
import type { Binding } from '#contracts';
import { Sessions, type SessionStore } from './sessions.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function setUp() {
  let now = 0;
  const rows = new Map<string, Binding>();
  const writes: string[] = [];
  const store: SessionStore = {
    insertBinding: async (row) => {
      rows.set(row._id, row);
      return { row, won: true };
    },
    getBinding: async (id) => structuredClone(rows.get(id)) ?? null,
    listBindings: async (user) => [...rows.values()].filter((row) => row.user_id === user),
    removeBinding: async (id) => void rows.delete(id),
    prolongBinding: async (id, expires_at) => {
      writes.push(id);
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, expires_at });
    },
  };
  const sessions = new Sessions(store, { now: () => now, wall: () => now });
  const begin = async (stays: boolean) => (await sessions.begin('ann', { device: '', stays })).token;
  return { sessions, begin, rows, writes, pass: (ms: number) => void (now += ms) };
}

describe('Sessions', () => {
  it.each([
    ['a day', false, DAY_MS],
    ['thirty days', true, 30 * DAY_MS],
  ])('last for %s after their last use', async (_name, stays, lifetimeMs) => {
    const { sessions, begin, pass } = setUp();
    const token = await begin(stays);
    for (let use = 0; use < 3; use++) {
      pass(lifetimeMs - 1);
      expect(await sessions.find(token)).toMatchObject({ userId: 'ann' });
    }
    pass(lifetimeMs);
    expect(await sessions.find(token)).toBeUndefined();
    expect(await sessions.list('ann')).toEqual([]);
  });

  it('are written at most once an hour, however often and by how many they are used', async () => {
    const { sessions, begin, writes, pass } = setUp();
    const token = await begin(false);
    const { id } = (await sessions.find(token))!;
    pass(HOUR_MS);
    await sessions.isOpen(id);
    expect(writes).toEqual([]);
    pass(1);
    await Promise.all([sessions.isOpen(id), sessions.isOpen(id), sessions.find(token)]);
    pass(HOUR_MS);
    await sessions.isOpen(id);
    expect(writes).toEqual([id]);
  });

  it('end on other gateways once what was read is five seconds old', async () => {
    const { sessions, begin, rows, pass } = setUp();
    const { id } = (await sessions.find(await begin(true)))!;
    rows.delete(id);
    pass(4_999);
    expect(await sessions.isOpen(id)).toBe(true);
    pass(1);
    expect(await sessions.isOpen(id)).toBe(false);
  });

  it('are at most fifty: the one unused for the longest makes room', async () => {
    const { sessions, begin, pass } = setUp();
    const tokens: string[] = [];
    for (let n = 0; n < 50; n++) {
      tokens.push(await begin(false));
      pass(1);
    }
    pass(2 * HOUR_MS);
    await sessions.find(tokens[0]!);
    const newest = await begin(false);
    expect(await sessions.list('ann')).toHaveLength(50);
    pass(5_000);
    const open = await Promise.all([...tokens, newest].map((token) => sessions.find(token)));
    expect(open.map((one) => one !== undefined)).toEqual([true, false, ...Array<boolean>(49).fill(true)]);
  });

  it('of others cannot be ended, and other bindings are no sessions', async () => {
    const { sessions, begin, rows } = setUp();
    const { id } = (await sessions.find(await begin(true)))!;
    await expect(sessions.end('bob', id)).rejects.toMatchObject({ code: 'not_found' });
    rows.set(id, { ...rows.get(id)!, dialect: 'invitations' });
    await expect(sessions.end('ann', id)).rejects.toMatchObject({ code: 'not_found' });
    expect(rows.has(id)).toBe(true);
  });
});
