import { randomBytes } from 'node:crypto';
import { idSchema, type Account, type AccountRole } from '#contracts';
import type { Store } from '#store';
import type { User } from '../auth/user.js';
import { notFound, RequestError } from '../errors/request-error.js';
import { emailKey, keyOfName, usernameKey } from './account-keys.js';

/** An account as its owner sees it. */
export interface AccountBody {
  id: string;
  email: string;
  username: string;
  full_name: string | null;
  is_active: boolean;
  created_at: string;
}

/** As operators see it. */
export interface ListedAccount extends AccountBody {
  number: number;
  role: AccountRole;
}

export interface NewAccount {
  email: string;
  username: string;
  full_name: string | null;
  /** As it is stored. */
  password: string;
}

export type AccountStore = Pick<
  Store,
  | 'insertAccount'
  | 'getAccount'
  | 'findAccount'
  | 'lastAccountNumber'
  | 'listAccounts'
  | 'updateAccount'
  | 'keepSecret'
>;

/** Each time somebody else was faster; more than can happen. */
const MAX_TRIES = 1_000;

export class Accounts {
  constructor(private readonly store: AccountStore) {}

  /** The insert decides who gets email, username and number; number 1 is an operator. */
  async register({ email, username, full_name, password }: NewAccount): Promise<Account> {
    const account = {
      _id: `user_${randomBytes(16).toString('base64url')}`,
      ...{ email, email_key: emailKey(email), username, username_key: usernameKey(username) },
      ...{ full_name, password, is_active: true, created_at: new Date().toISOString() },
    };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const number = (await this.store.lastAccountNumber()) + 1;
      const row: Account = { ...account, number, role: number === 1 ? 'operator' : 'user' };
      const answer = await this.store.insertAccount(row);
      if (answer === 'inserted') return row;
      if (answer === 'email') throw new RequestError('taken', 'This email is already registered.');
      if (answer === 'username') throw new RequestError('taken', 'This username is already taken.');
    }
    throw new RequestError('overloaded', 'Too many people register at this moment.', 1_000);
  }

  /** By username or email. */
  find(name: string): Promise<Account | null> {
    const { field, key } = keyOfName(name);
    return this.store.findAccount(field, key);
  }

  get(id: string): Promise<Account | null> {
    return this.store.getAccount(id);
  }

  async list(page: { after: number; limit: number }): Promise<ListedAccount[]> {
    return (await this.store.listAccounts(page)).map(toListed);
  }

  /** Nobody changes the own account: the last operator would lock everybody out. */
  async change(
    operator: User,
    id: string,
    change: { role?: AccountRole; is_active?: boolean },
  ): Promise<ListedAccount> {
    const account = idSchema.safeParse(id).success ? await this.store.getAccount(id) : null;
    if (!account) throw notFound();
    if (id === operator.id)
      throw new RequestError('forbidden', 'Ask another operator to change your account.');
    const { role = account.role, is_active = account.is_active } = change;
    await this.store.updateAccount(id, { role, is_active });
    return toListed({ ...account, role, is_active });
  }
}

export function toAccountBody(account: Account): AccountBody {
  const { _id: id, email, username, full_name, is_active, created_at } = account;
  return { id, email, username, full_name, is_active, created_at };
}

function toListed(account: Account): ListedAccount {
  return { ...toAccountBody(account), number: account.number, role: account.role };
}
