import { describe, expect, it } from '@jest/globals';
import type { Account } from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeId, sampleAccount } from './sample-rows.js';

const at = '2026-03-01T10:00:00.000Z';

export function describeAccounts(store: () => Store): void {
  describe('accounts', () => {
    it('are read by id, by email and by username as they were inserted', async () => {
      const row = sampleAccount({ full_name: '$Ann "A." \ud800' });
      expect(await store().insertAccount(row)).toBe('inserted');
      expect(await store().getAccount(row._id)).toEqual(row);
      expect(await store().findAccount('email_key', row.email_key)).toEqual(row);
      expect(await store().findAccount('username_key', row.username_key)).toEqual(row);
      expect(await store().findAccount('username_key', row.email_key)).toBeNull();
      expect(await store().getAccount(makeId())).toBeNull();
    });

    it.each([
      ['email', 'email_key'],
      ['username', 'username_key'],
      ['look', 'look_key'],
      ['number', 'number'],
    ] as const)(
      'an insert with the %s of another account reports that field and leaves nothing',
      async (taken, field) => {
        const first = sampleAccount();
        await store().insertAccount(first);
        const second = sampleAccount({ [field]: first[field] });
        expect(await store().insertAccount(second)).toBe(taken);
        expect(await store().getAccount(second._id)).toBeNull();
        expect(await store().insertAccount({ ...second, [field]: sampleAccount()[field] })).toBe('inserted');
      },
    );

    it('of one id are made once, whatever else they have', async () => {
      const rows = Array.from({ length: 8 }, (_, n) =>
        sampleAccount({ _id: 'user_of_one_invitation', password: `scrypt$${n}` }),
      );
      const answers = await Promise.all(rows.map((row) => store().insertAccount(row)));
      expect(answers.toSorted()).toEqual([...Array<string>(7).fill('id'), 'inserted']);
      expect(await store().getAccount('user_of_one_invitation')).toEqual(rows[answers.indexOf('inserted')]);
    });

    it('without a look key are listed, and get one unless another account has it', async () => {
      const rows = Array.from({ length: 3 }, () => sampleAccount({ look_key: undefined }));
      for (const row of rows) expect(await store().insertAccount(row)).toBe('inserted');
      const [first, second] = rows as [Account, Account];
      const look = `l-${makeId()}`;
      await store().keepLook(first._id, look);
      await store().keepLook(second._id, look);
      await store().keepLook(first._id, `l-${makeId()}`);
      expect(await store().getAccount(first._id)).toEqual({ ...first, look_key: look });
      expect(await store().getAccount(second._id)).not.toHaveProperty('look_key');
      expect((await store().findAccount('look_key', look))?._id).toBe(first._id);
      expect(await store().insertAccount(sampleAccount({ look_key: look }))).toBe('look');
    });

    it('say what is taken for good before they say that the number is', async () => {
      const first = sampleAccount();
      await store().insertAccount(first);
      const again = sampleAccount({ number: first.number, username_key: first.username_key });
      expect(await store().insertAccount(again)).toBe('username');
      expect(await store().insertAccount({ ...again, email_key: first.email_key })).toBe('email');
    });

    it('of many inserts of one email at once, exactly one wins', async () => {
      const { email_key } = sampleAccount();
      const rows = Array.from({ length: 8 }, () => sampleAccount({ email_key }));
      const answers = await Promise.all(rows.map((row) => store().insertAccount(row)));
      expect(answers.toSorted()).toEqual([...Array<string>(7).fill('email'), 'inserted']);
      const winner = rows[answers.indexOf('inserted')];
      expect(await store().findAccount('email_key', email_key)).toEqual(winner);
    });

    it('are listed by number, and the last number is known', async () => {
      const from = 2 ** 45 + Math.floor(Math.random() * 2 ** 20) * 10;
      const rows: Account[] = [3, 1, 2].map((n) => sampleAccount({ number: from + n }));
      for (const row of rows) await store().insertAccount(row);
      expect(await store().lastAccountNumber()).toBe(from + 3);
      expect(await store().listAccounts({ after: from, limit: 2 })).toEqual([rows[1], rows[2]]);
      expect(await store().listAccounts({ after: from + 2, limit: 5 })).toEqual([rows[0]]);
    });

    it('change in role, roles and activity only, each separately', async () => {
      const row = sampleAccount();
      await store().insertAccount(row);
      await store().updateAccount(row._id, { is_active: false });
      await store().updateAccount(row._id, { role: 'operator' });
      await store().updateAccount(row._id, { roles: ['finance'] });
      const changed = { is_active: false, role: 'operator', roles: ['finance'] };
      expect(await store().getAccount(row._id)).toEqual({ ...row, ...changed });
      await store().updateAccount(makeId(), { is_active: false });
    });
  });

  describe('secrets', () => {
    it('stay as the first one made them, also when many are made at once', async () => {
      const _id = makeId();
      const kept = await Promise.all(
        ['a', 'b', 'c'].map((value) => store().keepSecret({ _id, value, created_at: at })),
      );
      expect(new Set(kept.map(({ value }) => value)).size).toBe(1);
      expect(await store().keepSecret({ _id, value: 'd', created_at: at })).toEqual(kept[0]);
    });
  });
}
