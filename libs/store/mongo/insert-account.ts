import type { Account } from '#contracts';
import type { TakenField } from '../store.port.js';
import type { MongoRows } from './mongo-rows.js';

/** `Store.insertAccount`. Ids are random: a row with mine is mine, whose answer was lost. */
export async function insertAccount(
  users: MongoRows<'users'>,
  row: Account,
): Promise<'inserted' | TakenField> {
  const { _id, email_key, username_key, number } = row;
  const inserted = await users.insertUnless<TakenField>(row, async () => {
    const [sameId, sameEmail, sameUsername, sameNumber] = await Promise.all([
      users.findOnce({ equals: { _id } }),
      users.findOnce({ equals: { email_key } }),
      users.findOnce({ equals: { username_key } }),
      users.findOnce({ equals: { number } }),
    ]);
    if (sameId[0]) return sameId[0];
    if (sameEmail[0]) return 'email';
    if (sameUsername[0]) return 'username';
    return sameNumber[0] ? 'number' : null;
  });
  return typeof inserted === 'string' ? inserted : 'inserted';
}
