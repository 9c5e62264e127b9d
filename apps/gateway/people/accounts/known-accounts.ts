import type { Account } from '#contracts';
import { FreshReads, type Clock } from '#time';
import { refusedToken } from '../auth/json-web-token.adapter.js';
import { OPERATOR_ROLE, type Authenticate, type User } from '../auth/user.js';
import type { AccountTokens } from './account-tokens.adapter.js';
import type { Accounts } from './accounts.js';

/** How long a gateway trusts what it has read about an account: its role, and whether it is active. */
const CACHE_LIMITS = { freshMs: 5_000, maxRemembered: 10_000 };

/** Finds the owner of a token without a read of the store for every request. */
export class KnownAccounts {
  private readonly known: FreshReads<Account | null>;

  constructor(
    private readonly accounts: Pick<Accounts, 'get'>,
    private readonly tokens: Pick<AccountTokens, 'read'>,
    clock: Pick<Clock, 'now'>,
  ) {
    this.known = new FreshReads(clock, CACHE_LIMITS);
  }

  /** `Authenticate` of `AUTH=local`. */
  readonly authenticate: Authenticate = async (token) => {
    const { accountId, expiresAtMs } = await this.tokens.read(token);
    const account = await this.readAccount(accountId);
    if (!account?.is_active) throw refusedToken();
    return { id: accountId, isOperator: account.role === 'operator', roles: rolesOf(account), expiresAtMs };
  };

  /** Of a user who was admitted before, as they are now. */
  async rolesOf(user: User): Promise<string[]> {
    const account = await this.readAccount(user.id);
    return account?.is_active ? rolesOf(account) : [];
  }

  /** For a user who was admitted before. */
  async isActive(user: User): Promise<boolean> {
    return (await this.readAccount(user.id))?.is_active === true;
  }

  /** Forgets an account that has just been changed. */
  forget(id: string): void {
    this.known.forget(id);
  }

  private readAccount(id: string): Promise<Account | null> {
    return this.known.get(id, () => this.accounts.get(id));
  }
}

function rolesOf({ role, roles = [] }: Account): string[] {
  return role === OPERATOR_ROLE ? [OPERATOR_ROLE, ...roles] : roles;
}
