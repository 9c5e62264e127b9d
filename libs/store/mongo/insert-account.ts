import type { Account } from '#contracts';
import type { TakenField } from '../store.port.js';
import type { MongoRows } from './mongo-rows.js';

/**
 * `Store.insertAccount`. The salt of a password is random: a row with my id and my password is mine, its answer lost.
 */
export async function insertAccount(
  users: MongoRows<'users'>,
  row: Account,
): Promise<'inserted' | TakenField> {
  const { _id, email_key, username_key, look_key, number } = row;
  const inserted = await users.insertUnless<TakenField>(row, async () => {
    const [sameId, sameEmail, sameUsername, sameLook, sameNumber] = await Promise.all([
      users.findOnce({ equals: { _id } }),
      users.findOnce({ equals: { email_key } }),
      users.findOnce({ equals: { username_key } }),
      look_key === undefined ? [] : users.findOnce({ equals: { look_key } }),
      users.findOnce({ equals: { number } }),
    ]);
    if (sameId[0]) return sameId[0].password === row.password ? sameId[0] : 'id';
    if (sameEmail[0]) return 'email';
    if (sameUsername[0]) return 'username';
    if (sameLook[0]) return 'look';
    return sameNumber[0] ? 'number' : null;
  });
  return typeof inserted === 'string' ? inserted : 'inserted';
}
