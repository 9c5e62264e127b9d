import type { Account } from '#contracts';
import { RequestError } from '../../errors/request-error.js';
import type { AccountTokens } from './account-tokens.adapter.js';
import { keyOfName } from './account-keys.js';
import { toAccountBody, type AccountBody, type Accounts, type NewAccount } from './accounts.js';
import type { KnownNetworks } from './known-networks.js';
import type { Passwords } from './passwords.js';
import type { Invitations } from './invitations.js';
import type { Registration } from './registration.js';
import type { Sessions } from './sessions.js';
import type { SignInLimits } from './sign-in-limits.js';

/** As OAuth 2 has it. */
export interface TokenBody {
  access_token: string;
  token_type: 'bearer';
}

export interface SignInParts {
  accounts: Accounts;
  passwords: Passwords;
  tokens: AccountTokens;
  sessions: Sessions;
  limits: SignInLimits;
  networks: KnownNetworks;
  registration: Registration;
  invitations: Invitations;
}

/** `AUTH=local`: registration, and sign-in with a password for a token. */
export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /** @param address where the request comes from */
  async register(address: string, given: NewAccount, invitation?: string): Promise<AccountBody> {
    const { accounts, passwords, limits, registration, invitations } = this.parts;
    limits.register(address);
    const admission = await registration.admit(invitation);
    const password = await passwords.hash(address, given.password);
    const account = await accounts.register({ ...given, password }, admission);
    if (admission.invitationId !== undefined) await invitations.remove(admission.invitationId);
    return toAccountBody(account);
  }

  async signIn(address: string, name: string, password: string): Promise<TokenBody> {
    const { _id } = await this.check(address, name, password);
    return { access_token: await this.parts.tokens.issue(_id), token_type: 'bearer' };
  }

  /**
   * The account with this name and password. An unknown account, an inactive one and a wrong password get the same
   * answer after the same work.
   */
  async check(address: string, name: string, password: string): Promise<Account> {
    const { accounts, passwords, limits, networks } = this.parts;
    const attempt = limits.begin(address);
    let isWrong = false;
    try {
      const account = await accounts.find(name);
      const key = account?._id ?? keyOfName(name).key;
      const isKnown = await networks.has(key, address);
      attempt.against({ key, userId: account?._id, isKnown });
      const isRight = await passwords.isRight(address, password, account?.password);
      isWrong = !isRight || !account?.is_active;
      if (!account || isWrong) throw new RequestError('unauthorized', 'Incorrect username or password');
      if (!isKnown) await networks.add(key, address);
      return account;
    } finally {
      if (!isWrong) attempt.forget();
    }
  }

  /**
   * The account of the token or, without one, of the session. Throws `RequestError` `unauthorized`, or `forbidden` for
   * an inactive account.
   */
  async whoIs(token: string | undefined, session: string | undefined): Promise<AccountBody> {
    const { tokens, sessions, accounts } = this.parts;
    const found = token === undefined && session !== undefined ? await sessions.find(session) : undefined;
    const accountId = found?.userId ?? (await tokens.read(token)).accountId;
    const account: Account | null = await accounts.get(accountId);
    if (!account) throw new RequestError('unauthorized', 'The token is not valid.');
    if (!account.is_active) throw new RequestError('forbidden', 'This account is not active.');
    return toAccountBody(account);
  }
}
