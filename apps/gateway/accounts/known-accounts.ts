import type { Account } from '#contracts';
import type { Clock } from '#time';
import { refusedToken } from '../auth/json-web-token.adapter.js';
import type { Authenticate, User } from '../auth/user.js';
import type { AccountTokens } from './account-tokens.adapter.js';
import type { Accounts } from './accounts.js';

/** For so long a gateway goes on believing what it has read: role, and whether somebody may come in at all. */
const BELIEVED_MS = 5_000;
const MAX_KNOWN = 10_000;

interface Known {
  account: Promise<Account | null>;
  until: number;
}

/** Whose token it is, without a read of the store for every request. */
export class KnownAccounts {
  /** Oldest first. */
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly accounts: Pick<Accounts, 'get'>,
    private readonly tokens: Pick<AccountTokens, 'read'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** `Authenticate` of `AUTH=local`. */
  readonly authenticate: Authenticate = async (token) => {
    const { accountId, expiresAtMs } = await this.tokens.read(token);
    const account = await this.look(accountId);
    if (!account?.is_active) throw refusedToken();
    return { id: accountId, isOperator: account.role === 'operator', expiresAtMs };
  };

  /** Of who has come in before. */
  async isActive(user: User): Promise<boolean> {
    return (await this.look(user.id))?.is_active === true;
  }

  /** What is known of this account has just been changed. */
  forget(id: string): void {
    this.known.delete(id);
  }

  private look(id: string): Promise<Account | null> {
    const found = this.known.get(id);
    if (found && found.until > this.clock.now()) return found.account;
    this.known.delete(id);
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= MAX_KNOWN) this.known.delete(oldest);
    const known: Known = { account: this.accounts.get(id), until: this.clock.now() + BELIEVED_MS };
    this.known.set(id, known);
    known.account.catch(() => {
      if (this.known.get(id) === known) this.known.delete(id);
    });
    return known.account;
  }
}
