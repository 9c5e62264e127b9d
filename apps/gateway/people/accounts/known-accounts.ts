import type { Account } from '#contracts';
import { FreshReads, type Clock } from '#time';
import { refusedToken } from '../auth/json-web-token.adapter.js';
import { RequestError } from '../../errors/request-error.js';
import { OPERATOR_ROLE, type Authenticate, type User } from '../auth/user.js';
import type { AccountTokens } from './account-tokens.adapter.js';
import type { Accounts } from './accounts.js';
import type { Sessions } from './sessions.js';

/** How long a gateway trusts what it has read about an account: its role, and whether it is active. */
const CACHE_LIMITS = { freshMs: 5_000, maxRemembered: 10_000 };

/** Finds the owner of a token or a session without a read of the store for every request. */
export class KnownAccounts {
  private readonly known: FreshReads<Account | null>;

  constructor(
    private readonly accounts: Pick<Accounts, 'get'>,
    private readonly tokens: Pick<AccountTokens, 'read'>,
    private readonly sessions: Pick<Sessions, 'find' | 'isOpen'>,
    clock: Pick<Clock, 'now'>,
  ) {
    this.known = new FreshReads(clock, CACHE_LIMITS);
  }

  /** `Authenticate` of `AUTH=local`. */
  readonly authenticate: Authenticate = async (token, session) => {
    if (token === undefined && session !== undefined) return this.ofSession(session);
    const { accountId, expiresAtMs } = await this.tokens.read(token);
    const account = await this.readAccount(accountId);
    if (!account?.is_active) throw refusedToken();
    return { ...toUser(account), expiresAtMs };
  };

  /** Of a user who was admitted before, as they are now. */
  async rolesOf(user: User): Promise<string[]> {
    const account = await this.readAccount(user.id);
    return account?.is_active ? rolesOf(account) : [];
  }

  /** For a user who was admitted before. */
  async isActive(user: User): Promise<boolean> {
    const { id, sessionId } = user;
    const [account, isOpen] = await Promise.all([
      this.readAccount(id),
      sessionId === undefined || this.sessions.isOpen(sessionId),
    ]);
    return account?.is_active === true && isOpen;
  }

  /** Forgets an account that has just been changed. */
  forget(id: string): void {
    this.known.forget(id);
  }

  private async ofSession(token: string): Promise<User> {
    const session = await this.sessions.find(token);
    if (!session) throw signedOut();
    const account = await this.readAccount(session.userId);
    if (!account?.is_active) throw signedOut();
    return { ...toUser(account), sessionId: session.id };
  }

  private readAccount(id: string): Promise<Account | null> {
    return this.known.get(id, () => this.accounts.get(id));
  }
}

function signedOut(): RequestError {
  return new RequestError('unauthorized', 'You have been signed out. Sign in again.');
}

function toUser(account: Account): User {
  return { id: account._id, isOperator: account.role === OPERATOR_ROLE, roles: rolesOf(account) };
}

function rolesOf({ role, roles = [] }: Account): string[] {
  return role === OPERATOR_ROLE ? [OPERATOR_ROLE, ...roles] : roles;
}
