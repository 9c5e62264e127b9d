import { describe, expect, it } from '@jest/globals';
import type { Account } from '#contracts';
import { KnownAccounts } from './known-accounts.js';

const account = (id: string, fields: Partial<Account> = {}) =>
  ({ _id: id, role: 'user', is_active: true, ...fields }) as Account;

function setUp() {
  let now = 0;
  const stored = new Map<string, Account>([['ann', account('ann')]]);
  const reads: string[] = [];
  const accounts = {
    get: async (id: string) => {
      reads.push(id);
      if (id === 'broken') throw new Error('away');
      return stored.get(id) ?? null;
    },
  };
  const tokens = { read: async (token: string | undefined) => ({ accountId: token!, expiresAtMs: 7 }) };
  const sessions = { find: async () => undefined, isOpen: async () => true };
  const known = new KnownAccounts(accounts, tokens, sessions, { now: () => now });
  return { known, stored, reads, pass: (ms: number) => void (now += ms) };
}

describe('KnownAccounts', () => {
  it('caches a read for five seconds, regardless of the number of requests', async () => {
    const { known, stored, reads, pass } = setUp();
    const users = await Promise.all(['ann', 'ann', 'ann'].map((token) => known.authenticate(token)));
    expect(users[2]).toEqual({ id: 'ann', isOperator: false, roles: [], expiresAtMs: 7 });
    expect(reads).toEqual(['ann']);
    stored.set('ann', account('ann', { role: 'operator' }));
    pass(4_999);
    expect((await known.authenticate('ann')).isOperator).toBe(false);
    pass(1);
    expect((await known.authenticate('ann')).isOperator).toBe(true);
    stored.set('ann', account('ann', { is_active: false }));
    pass(5_000);
    await expect(known.authenticate('ann')).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await known.isActive({ id: 'ann', isOperator: false, roles: [] })).toBe(false);
  });

  it('reads again at once after a local change or a failed read', async () => {
    const { known, stored, reads } = setUp();
    await known.authenticate('ann');
    stored.set('ann', account('ann', { is_active: false }));
    known.forget('ann');
    await expect(known.authenticate('ann')).rejects.toMatchObject({ code: 'unauthorized' });
    for (let i = 0; i < 2; i++) await expect(known.authenticate('broken')).rejects.toThrow('away');
    expect(reads).toEqual(['ann', 'ann', 'broken', 'broken']);
  });

  it('refuses an account that does not exist', async () => {
    await expect(setUp().known.authenticate('bob')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('caches at most ten thousand accounts and evicts the oldest first', async () => {
    const { known, reads } = setUp();
    await known.authenticate('ann');
    for (let i = 0; i < 10_000; i++) await known.authenticate(`user-${i}`).catch(() => undefined);
    await known.authenticate('ann');
    expect(reads.filter((id) => id === 'ann')).toHaveLength(2);
    await known.authenticate('user-9999').catch(() => undefined);
    expect(reads.filter((id) => id === 'user-9999')).toHaveLength(1);
  });
});
