import { createHash } from 'node:crypto';
import { idSchema, type Account, type AccountRole } from '#contracts';
import type { Store } from '#store';
import { timestampOf, type Random, type Time } from '#time';
import { OPERATOR_ROLE, type User } from '../auth/user.js';
import { notFound, RequestError } from '../../errors/request-error.js';
import { emailKey, keyOfName, lookKey, usernameKey } from './account-keys.js';
import { invitationGone, registrationClosed, type Admission } from './registration.js';

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
  /** Names that rules of tools ask for. */
  roles: string[];
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
  | 'keepLook'
  | 'keepSecret'
>;

/** Attempts, each lost to a faster registration; more than can happen. */
const MAX_TRIES = 1_000;
const PAGE = 500;

export class Accounts {
  private looks: Promise<void> | undefined;

  constructor(
    private readonly store: AccountStore,
    private readonly time: Time,
  ) {}

  /** The insert assigns email, username and number, and uses up an invitation. Number 1 is an operator. */
  async register(
    { email, username, full_name, password }: NewAccount,
    { isFirst = false, invitationId }: Admission = {},
  ): Promise<Account> {
    await this.keepLooks();
    const account = {
      _id: accountId(this.time.random, invitationId),
      ...{ email, email_key: emailKey(email), username, username_key: usernameKey(username) },
      look_key: lookKey(username),
      ...{ full_name, password, is_active: true, created_at: timestampOf(this.time.clock) },
    };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const number = (await this.store.lastAccountNumber()) + 1;
      if (isFirst && number > 1) throw registrationClosed();
      const row: Account = { ...account, number, role: number === 1 ? 'operator' : 'user' };
      const answer = await this.store.insertAccount(row);
      if (answer === 'inserted') return row;
      if (answer === 'id') throw invitationGone();
      if (answer === 'email') throw new RequestError('taken', 'This email is already registered.');
      if (answer === 'username') throw new RequestError('taken', 'This username is already taken.');
      if (answer === 'look')
        throw new RequestError('taken', 'This username looks like one that is already taken.');
    }
    throw new RequestError('overloaded', 'Too many registrations right now.', 1_000);
  }

  /** Adds the look once to accounts that predate it. Of two that look alike, only the first gets it. */
  private keepLooks(): Promise<void> {
    this.looks ??= this.addLooks().catch((error: unknown) => {
      this.looks = undefined;
      throw error;
    });
    return this.looks;
  }

  private async addLooks(): Promise<void> {
    let page: Account[] = [];
    do {
      page = await this.store.listAccounts({ after: page.at(-1)?.number ?? 0, limit: PAGE });
      for (const { _id, look_key, username } of page)
        if (look_key === undefined) await this.store.keepLook(_id, lookKey(username));
    } while (page.length === PAGE);
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

  /** Operators cannot change their own account: the last operator could lock all operators out. */
  async change(
    operator: User,
    id: string,
    change: Partial<Pick<Account, 'role' | 'roles' | 'is_active'>>,
  ): Promise<ListedAccount> {
    const account = idSchema.safeParse(id).success ? await this.store.getAccount(id) : null;
    if (!account) throw notFound();
    if (id === operator.id)
      throw new RequestError('forbidden', 'You cannot change your own account. Ask another operator.');
    if (change.roles?.includes(OPERATOR_ROLE))
      throw new RequestError('invalid', 'roles: `operator` is given by `role`.');
    const { role = account.role, roles = account.roles, is_active = account.is_active } = change;
    const changed = { role, is_active, ...(roles && { roles }) };
    await this.store.updateAccount(id, changed);
    return toListed({ ...account, ...changed });
  }
}

/** The same for the same invitation, so that it creates only one account. */
function accountId(random: Random, invitationId: string | undefined): string {
  const bytes = invitationId
    ? createHash('sha256').update(`account of ${invitationId}`).digest().subarray(0, 16)
    : Buffer.from(random.bytes(16));
  return `user_${bytes.toString('base64url')}`;
}

export function toAccountBody(account: Account): AccountBody {
  const { _id: id, email, username, full_name, is_active, created_at } = account;
  return { id, email, username, full_name, is_active, created_at };
}

function toListed(account: Account): ListedAccount {
  const { number, role, roles = [] } = account;
  return { ...toAccountBody(account), number, role, roles };
}
